// One connection per request, so that none is left when it is answered.
import { request as httpRequest } from 'node:http';

/**
 * → `request(path, { method, headers, body, signal })` → `{ status, headers, text(), json() }`. Paths go as
 * they are.
 */
export const requester =
  (url) =>
  (path, { method = 'GET', headers = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const options = {
        hostname,
        port,
        path,
        method,
        signal,
        agent: false,
        headers: { ...length, ...headers },
      };
      const request = httpRequest(options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, text: () => text, json: () => JSON.parse(text) });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
