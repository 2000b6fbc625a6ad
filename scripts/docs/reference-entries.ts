import { Readable } from 'node:stream'
import { buildProgram } from '../../packages/cli/src/build-program.ts'
import { exitCodes } from '../../packages/cli/src/exit-codes.ts'
import type { Io } from '../../packages/cli/src/io.ts'
import type { UsageCommand } from '../../packages/cli/src/usage-command.ts'
import { environmentName, listSettings } from '../../packages/server/src/config/setting.ts'
import { Settings } from '../../packages/server/src/config/settings.ts'
import { catalogue } from '../../packages/server/src/errors.ts'
import { serverEventNames } from '../../packages/server/src/lib/server-events.ts'
import { listOperations, type OpenApiDocument } from '../generate/api-docs/openapi-types.ts'
import { tagPages } from '../generate/api-docs/tag-pages.ts'
import { describeApi } from '../generate/openapi-document.ts'

/** What the code has of one kind, and how the reference describes it. */
export interface ReferenceKind {
  readonly kind: string
  /** The page of each thing. */
  readonly entries: readonly { readonly name: string; readonly page: string }[]
  /** The names that a page describes. */
  describedBy(page: string): string[]
}

const matches = (pattern: RegExp) => (page: string) => [...page.matchAll(pattern)].map(([, name = '']) => name)

/** Everything that must have an entry in the reference. Metrics have a test of their own (packages/server/src/metrics). */
export async function referenceKinds(): Promise<ReferenceKind[]> {
  const { document, sockets } = await describeApi()
  const on = (page: string, names: readonly string[]) => names.map((name) => ({ name, page }))
  return [
    {
      kind: 'operation',
      entries: listOperations(document as unknown as OpenApiDocument).map(({ method, path, tags: [tag] }) => ({
        name: `${method} ${path}`,
        page: `docs/api/${tagPages[tag]?.file}.md`,
      })),
      describedBy: matches(/^`([A-Z]+ \/\S*)` · \w+ · scope/gm),
    },
    {
      kind: 'WebSocket',
      entries: on(
        'docs/api/websockets.md',
        sockets.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')),
      ),
      describedBy: matches(/^`(\/\S+)` · \w+ · scope/gm),
    },
    { kind: 'command', entries: on('docs/cli.md', await commandNames()), describedBy: matches(/^### millrace (.+)$/gm) },
    { kind: 'exit code', entries: on('docs/cli.md', Object.values(exitCodes).map(String)), describedBy: matches(/^\| (\d+) \| .+ \|$/gm) },
    {
      kind: 'setting',
      entries: on(
        'docs/config.md',
        listSettings(Settings).map(({ place }) => environmentName(place)),
      ),
      describedBy: matches(/^### `(\w+)`$/gm),
    },
    {
      kind: 'error',
      entries: on(
        'docs/errors.md',
        catalogue.map(({ code }) => code),
      ),
      describedBy: matches(/^\| `(\w+)` \| \d/gm),
    },
    { kind: 'event', entries: on('docs/events.md', serverEventNames), describedBy: describedEvents },
  ]
}

/** The first column of the table: `prefect.flow.created`, `.updated` stands for prefect.flow.updated, and `<state name>` for any name. */
function describedEvents(page: string): string[] {
  const cells = matches(/^\| (`(?:prefect|millrace)\.[^|]+) \|/gm)(page)
  return cells.flatMap((cell) => {
    let last = ''
    return matches(/`([^`]+)`/g)(cell).map((text) => {
      last = text.startsWith('.') ? `${last.slice(0, last.lastIndexOf('.'))}${text}` : text.replaceAll(/<[^>]+>/g, '*')
      return last
    })
  })
}

type Command = UsageCommand['commands'][number]

async function commandNames(): Promise<string[]> {
  const sink = { write: () => true }
  const io: Io = { stdout: sink, stderr: sink, stdin: Readable.from([]), env: {}, signal: new AbortController().signal }
  const { program } = await buildProgram(io, 'all')
  const names = (command: Command, parent: string): string[] => {
    const name = `${parent}${command.name()}`
    return [name, ...command.commands.flatMap((each) => names(each, `${name} `))]
  }
  return program.commands.flatMap((command) => names(command, ''))
}
