import type { SocketRoute } from '../../../packages/server/src/lib/socket.ts'
import { type ListedOperation, listOperations, type OpenApiDocument, type Schema } from './openapi-types.ts'
import { commonErrors, operationSection } from './operation-section.ts'
import { describeType, fieldTable, pageOfSchema } from './schema-text.ts'
import { type TagPage, tagPages } from './tag-pages.ts'
import { webSocketPage } from './websocket-page.ts'

const generated = '<!-- Generated from the routes of packages/server/src by `npm run generate`; edit those. -->'

/** Generates docs/api: a page per tag, the models, the filters and the WebSockets. */
export function apiPages(document: OpenApiDocument, sockets: readonly SocketRoute[]): Record<string, string> {
  const byTag = Map.groupBy(listOperations(document), ({ tags: [tag] }) => tag)
  const missing = [...byTag.keys()].filter((tag) => !Object.hasOwn(tagPages, tag))
  if (missing.length > 0) throw new Error(`scripts/generate/api-docs/tag-pages.ts has no page for the tags ${missing.join(', ')}`)
  const tags = Object.entries(tagPages).map(([tag, page]) => ({ page, operations: byTag.get(tag) ?? [] }))
  const pages: Record<string, string[]> = {
    'index.md': indexPage(document, tags, sockets),
    'websockets.md': webSocketPage(sockets, generated),
    'models.md': schemaPage(
      document,
      'models.md',
      'Models',
      'The objects of requests and responses. A table without defaults is that of an object whose fields are all required, or always present. [Filters](filters.md) are on their own page.',
    ),
    'filters.md': schemaPage(document, 'filters.md', 'Filters', filterIntroduction),
  }
  for (const { page, operations } of tags)
    pages[`${page.file}.md`] = [
      `# ${page.title}`,
      '',
      page.about,
      '',
      generated,
      ...operations.flatMap((operation) => operationSection(operation, document)),
    ]
  return Object.fromEntries(Object.entries(pages).map(([file, lines]) => [`docs/api/${file}`, `${lines.join('\n')}\n`]))
}

const filterIntroduction = [
  'A filter narrows lists, counts and bulk operations. Its fields are combined by `operator`, `and_` by default; a field that is missing or null does not narrow.',
  'Conditions end in an underscore: `any_` accepts one of the values, `all_` needs all of them, `not_any_` none of them, `like_` a part of the text,',
  '`is_null_` whether there is no value, `before_` and `after_` a range of time, `ge_` and `le_` a range of numbers. Sort orders are below as well.',
].join('\n')

function indexPage(
  document: OpenApiDocument,
  tags: readonly { page: TagPage; operations: readonly ListedOperation[] }[],
  sockets: readonly SocketRoute[],
): string[] {
  const errors = commonErrors.map(
    (status) =>
      `| ${status} | ${status === '422' ? 'The request is not valid; `detail` lists the faults' : document.components.responses[`Error${status}`]?.description} |`,
  )
  return [
    '# API',
    '',
    'With the API you do everything that the dashboard, the command line and the clients do. It is that of Prefect 3, with additions.',
    '',
    generated,
    '',
    '- Every operation is at `/api/…` and at `/…`. A running server shows this reference at `/docs`, and the OpenAPI document at `/api/openapi.json`.',
    '- Requests and responses are JSON. Ids are UUIDs, times are ISO 8601 with a zone, and durations are seconds unless a field says otherwise.',
    '- With `MILLRACE_SERVER_API_AUTH_STRING` set, send its value by basic authentication (`curl --user admin:password …`). The password gives all scopes; `public` operations need none.',
    '- Most lists take `limit`, `offset` and `sort`. `MILLRACE_SERVER_API_DEFAULT_LIMIT` (200) is the default and the maximum of `limit`. The `paginate` operations take `page` instead of `offset` and return the number of pages.',
    '- Write requests that carry an `idempotency_key`, a `transition_id` or the id of an event can be sent again; they are done once.',
    '- An error has a [code](../errors.md) to match on. Each operation lists its own error statuses. All can answer with these, and those with a body with 408, 413 and 415:',
    '',
    '| status | meaning |',
    '|---|---|',
    ...errors,
    '',
    'From programs, use the [typed client](../guides/typed-client.md), and from the shell [`millrace api`](../cli.md#millrace-api).',
    '',
    '```sh',
    'curl http://127.0.0.1:4200/api/health',
    'npx millrace api POST /flow_runs/filter --data \'{"limit": 5}\'',
    '```',
    '',
    '## Pages',
    '',
    '| page | operations | about |',
    '|---|--:|---|',
    ...tags.map(({ page, operations }) => `| [${page.title}](${page.file}.md) | ${operations.length} | ${page.about} |`),
    `| [WebSockets](websockets.md) | ${sockets.length} | Streams of events, logs and tasks. |`,
    `| [Models](models.md), [Filters](filters.md) | | The objects that the operations share. |`,
    '',
    '## All operations',
    '',
    '| operation | | page |',
    '|---|---|---|',
    ...tags.flatMap(({ page, operations }) =>
      operations.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} | [${page.title}](${page.file}.md) |`),
    ),
    ...sockets.map(({ path, summary }) => `| \`WebSocket ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | ${summary} | [WebSockets](websockets.md) |`),
  ]
}

function schemaPage({ components }: OpenApiDocument, page: string, title: string, about: string): string[] {
  const names = Object.keys(components.schemas)
    .filter((name) => pageOfSchema(name) === page)
    .sort()
  return [
    `# ${title}`,
    '',
    about,
    '',
    generated,
    ...names.flatMap((name) => {
      const schema = components.schemas[name] as Schema
      const table = fieldTable(schema)
      return ['', `## ${name}`, '', ...(table.length > 0 ? table : [`${describeType(schema)}.`])]
    }),
  ]
}
