import { ApiError } from '@millrace/client/errors.ts'
import type { Method } from '@millrace/client/http.ts'
import { parseJson } from '@millrace/client/json.ts'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { describeClientError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { lightFetch } from '../light-fetch.ts'
import { collect } from '../option-values.ts'
import { readInputText } from '../read-input.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]

interface ApiFlags {
  readonly data?: string
  readonly header?: readonly string[]
  readonly query?: readonly string[]
}

export function apiCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Sends a request to the API and prints the body of the response: JSON formatted, everything else as it is. The exit code is 25 for 404, 27 for 401 and 403, and 1 for other errors. The dashboard describes all operations under /docs.',
    )
    .addArgument(new Argument('<method>', methods.join(', ')).argParser(parseMethod))
    .argument('<path>', 'path of the operation, with or without /api')
    .option('-d, --data <json>', 'body as JSON, @FILE for a file, - for stdin')
    .option('-H, --header <header>', '"Name: value", can be repeated', collect)
    .option('-q, --query <key=value>', 'query parameter, can be repeated', collect)
    .action(async (method: Method, path: string, flags: ApiFlags) => {
      let responseText = ''
      const client = cli.createClient({
        retry: { retries: 0 },
        fetch: async (input, init) => {
          const response = await lightFetch(input, init)
          responseText = await response.clone().text()
          return response
        },
      })
      try {
        await client.http.callForText(method, operationPath(path), {
          query: Object.fromEntries((flags.query ?? []).map(readPair)),
          ...(flags.data === undefined ? {} : { body: await readBody(cli, flags.data) }),
          options: { headers: Object.fromEntries((flags.header ?? []).map(readHeader)) },
        })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        cli.exitCode = describeClientError(error, client.http.url)?.exitCode ?? 1
        cli.output.note(`HTTP ${error.status}`)
      }
      await printBody(cli, responseText)
    })
  withExamples(
    command,
    ['api GET /version'],
    [`api POST /flow_runs/filter --data '{"limit": 5}'`],
    ['api POST /variables/ --data @variable.json'],
    ['api GET /events/filter/next --query page-token=abc', 'a query parameter'],
  )
}

function parseMethod(text: string): Method {
  const method = methods.find((each) => each === text.toUpperCase())
  if (!method) throw new InvalidArgumentError(`Use one of ${methods.join(', ')}.`)
  return method
}

/** The path below the URL of the API. Braces would be filled in by the client. */
const operationPath = (path: string): string => `/${path.replace(/^\/+/, '').replace(/^api(?:\/|$)/, '')}`.replaceAll('{', '%7B')

async function readBody({ io }: Cli, data: string): Promise<unknown> {
  const isFile = data.startsWith('@') || data === '-'
  const text = isFile ? await readInputText(io, data.replace(/^@/, '')) : data
  try {
    return parseJson(text, true)
  } catch (error) {
    throw new UsageError(`${isFile ? data : '--data'} is not JSON: ${(error as Error).message}`)
  }
}

function readPair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--query: "${text}" is not KEY=VALUE.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new UsageError(`--header: "${text}" is not "Name: value".`)
  return [name.toLowerCase(), value]
}

async function printBody({ output, io }: Cli, text: string): Promise<void> {
  if (text === '') return
  let value: unknown
  try {
    value = parseJson(text, true)
  } catch {
    return void io.stdout.write(text)
  }
  await output.data(value)
}
