// A server of ours on a free port, closed and checked for leaks after use; and the protocol's own client, of
// either era.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpServer, type McpSandboxServer, type McpServerOptions } from '@sbx/mcp';
import { afterAll, beforeAll } from 'vitest';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';

export interface TestServer {
  readonly url: string;
  readonly server: McpSandboxServer;
}

/** `legacy`: sessions, as up to 2025-11-25. `modern`: none, as of 2026-07-28. */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

export function useServer(options: McpServerOptions = {}): TestServer {
  let server: McpSandboxServer | undefined;
  let url = '';
  let before: Awaited<ReturnType<typeof settledFootprint>>;
  beforeAll(async () => {
    before = await settledFootprint();
    server = await createMcpServer({ port: 0, ...options });
    [url] = (await server.listen()).urls as [string];
  }, 60_000);
  afterAll(async () => {
    const info = server!.engine.info();
    await server!.close();
    await expectNothingLeft(before, info);
  });
  return {
    get url() {
      return url;
    },
    get server() {
      return server!;
    },
  };
}

/** A result as a host sees it. */
export interface Told {
  isError: boolean;
  text: string;
  // Checked by the output schema in the client.
  fields: Record<string, unknown>;
}

export class TestClient implements AsyncDisposable {
  readonly client: Client;
  readonly #transport: StreamableHTTPClientTransport | null;

  private constructor(client: Client, transport: StreamableHTTPClientTransport | null) {
    this.client = client;
    this.#transport = transport;
  }

  static async overHttp(url: string, era: Era, headers: Record<string, string> = {}): Promise<TestClient> {
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    const client = newClient(era);
    await client.connect(transport);
    return new TestClient(client, transport);
  }

  static async over(transport: Parameters<Client['connect']>[0], era: Era): Promise<TestClient> {
    const client = newClient(era);
    await client.connect(transport);
    return new TestClient(client, null);
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    options?: Parameters<Client['callTool']>[1],
  ): Promise<Told> {
    const result = await this.client.callTool({ name, arguments: args }, options);
    const [first] = result.content;
    return {
      isError: result.isError === true,
      text: first?.type === 'text' ? first.text : '',
      fields: (result.structuredContent ?? {}) as Record<string, unknown>,
    };
  }

  /** A sandbox to name in calls: in sessions it may be left out. */
  async sandbox(limits: Record<string, number> = {}): Promise<string> {
    return String((await this.call('create_sandbox', { limits })).fields.sandbox);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport?.terminateSession().catch(() => undefined);
    await this.client.close();
  }
}

function newClient(era: Era): Client {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
}
