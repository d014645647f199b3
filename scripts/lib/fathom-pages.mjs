// What is made from the zod schemas of the Fathom wire: JSON Schema files, the AsyncAPI document, the page of
// messages.
import { jsonSchemas } from '@sbx/fathom-client/schemas';
import { MESSAGE_TYPES, SOCKET_PATH, VERSION_HEADER } from '@sbx/fathom-client/wire';

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Without what only a file of its own needs. */
function inlined({ $schema, title, ...schema }) {
  return schema;
}

function asyncApi(schemas) {
  const types = Object.keys(schemas);
  const sentBy = (side) => types.filter((type) => MESSAGE_TYPES[type] === side);
  const refs = (side) => sentBy(side).map((type) => ({ $ref: `#/channels/socket/messages/${type}` }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Fathom Sandbox Protocol',
      version: '1.0.0',
      description: 'Streamed execution of code over one WebSocket. Every message is a JSON text frame.',
    },
    defaultContentType: 'application/json',
    channels: {
      socket: {
        address: SOCKET_PATH,
        messages: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
        bindings: {
          ws: {
            method: 'GET',
            headers: {
              type: 'object',
              properties: {
                Authorization: {
                  type: 'string',
                  description: 'Bearer and the token, when the server has one.',
                },
                [VERSION_HEADER]: { type: 'string', description: 'Absent: 1.', examples: ['1'] },
              },
            },
          },
        },
      },
    },
    operations: {
      request: { action: 'send', channel: { $ref: '#/channels/socket' }, messages: refs('client') },
      answer: { action: 'receive', channel: { $ref: '#/channels/socket' }, messages: refs('server') },
    },
    components: {
      messages: Object.fromEntries(
        types.map((type) => [
          type,
          { name: type, summary: schemas[type].description, payload: inlined(schemas[type]) },
        ]),
      ),
    },
  };
}

const ENVELOPE = ['v', 'type', 'ts'];

function fieldRows(schema, prefix = '') {
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (prefix === '' && ENVELOPE.includes(name)) return [];
    const isRequired = schema.required?.includes(name) ?? false;
    const row = [`\`${prefix}${name}\``, typeText(field), isRequired ? 'yes' : 'no', aboutText(field)];
    return [row, ...(field.properties ? fieldRows(field, `${prefix}${name}.`) : [])];
  });
}

function typeText(field) {
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(', ');
  if (field.anyOf) return field.anyOf.map(typeText).join(' or ');
  const { type, minimum, maximum } = field;
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${type}, ${minimum} to ${maximum}` : type;
}

function aboutText(field) {
  return field.description ?? field.anyOf?.find(({ description }) => description)?.description ?? '';
}

function messagesPage(schemas, tableOf) {
  const sections = Object.entries(schemas).map(([type, schema]) => {
    const rows = fieldRows(schema);
    const table = rows.length === 0 ? '' : `\n${tableOf(['Field', 'Type', 'Required', ''], rows)}`;
    return `## ${type}\n\n${schema.description} Sent by the ${MESSAGE_TYPES[type]}.\n${table}`;
  });
  return `<!-- Made from packages/fathom-client/src/schemas.ts by scripts/gen-docs.mjs; edit the schemas, then run: npm run docs -->
# Fathom: the messages

Each message is one JSON object in one text frame, and has \`v\` (1), \`type\` and \`ts\` (ISO 8601) besides the
fields below. The same as [AsyncAPI document](fathom.asyncapi.json), and as JSON Schema, a file per message,
in packages/fathom-client/json-schema. What the messages do: [the protocol](fathom.md).

${sections.join('\n')}`;
}

/** Path → text. */
export function fathomPages(tableOf) {
  const schemas = jsonSchemas();
  return {
    ...Object.fromEntries(
      Object.entries(schemas).map(([type, schema]) => [
        `packages/fathom-client/json-schema/${type}.json`,
        json(schema),
      ]),
    ),
    'docs/protocols/fathom.asyncapi.json': json(asyncApi(schemas)),
    'docs/protocols/fathom-messages.md': messagesPage(schemas, tableOf),
  };
}
