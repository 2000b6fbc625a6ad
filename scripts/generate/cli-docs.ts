import { Readable } from 'node:stream'
import { buildProgram } from '../../packages/cli/src/build-program.ts'
import { exitCodeMeanings, exitCodes } from '../../packages/cli/src/exit-codes.ts'
import { commandGroups } from '../../packages/cli/src/groups.ts'
import type { Io } from '../../packages/cli/src/io.ts'
import type { UsageCommand } from '../../packages/cli/src/usage-command.ts'

type Command = UsageCommand['commands'][number]

/** Generates docs/cli.md from the help of the commands. */
export async function cliPage(): Promise<string> {
  let printed = ''
  const sink = { write: (text: string) => (printed += text) }
  const io: Io = { stdout: sink, stderr: sink, stdin: Readable.from([]), env: {}, signal: new AbortController().signal }
  const { program } = await buildProgram(io, 'all')

  function helpOf(command: Command): string {
    printed = ''
    command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false }).outputHelp()
    return printed.trim()
  }

  const section = (command: Command, path: string): string[] => [
    '',
    `### millrace ${path}`,
    '',
    '```text',
    helpOf(command),
    '```',
    ...command.commands.flatMap((each) => section(each, `${path} ${each.name()}`)),
  ]

  const headings = [...new Set(commandGroups.map(({ heading }) => heading))]
  return [
    '# Command line',
    '',
    '<!-- Generated from packages/cli/src by `npm run generate`; edit that. -->',
    '',
    'With `millrace` you start a server and do everything that its API can do. `millrace` alone starts a server, as `millrace server start` does.',
    '`millrace NOUN VERB --help` shows the help of a command. Names and ids are accepted alike; a name that several items have needs the id.',
    '',
    '## Global options',
    '',
    'Every command accepts these, before or after its name.',
    '',
    '```text',
    helpOf(program)
      .replace(/^[\s\S]*?Options:\n/, '')
      .replace(/\n\n[\s\S]*$/, ''),
    '```',
    '',
    '`-o table` fits the terminal and shortens long cells; in a pipe, cells are whole. `-o wide` has more columns. `-o json` and `-o yaml` print the objects',
    'of the API, for scripts: their fields stay, while tables may change. Messages and progress go to stderr.',
    '',
    '## Environment',
    '',
    ...environment.flatMap(([names, meaning]) => [`- ${names.map((name) => `\`${name}\``).join(' or ')}: ${meaning}`]),
    '',
    'A flag overrides the environment, and the environment overrides the active profile. `millrace config view client` shows what is used.',
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(exitCodes).map(([name, code]) => `| ${code} | ${exitCodeMeanings[name as keyof typeof exitCodes]} |`),
    ...headings.flatMap((heading) => [
      '',
      `## ${heading}`,
      ...commandGroups.filter((group) => group.heading === heading).flatMap(({ name }) => section(findCommand(program, name), name)),
    ]),
    '',
  ].join('\n')
}

const findCommand = (program: Command, name: string): Command => program.commands.find((command) => command.name() === name) as Command

const environment: readonly (readonly [names: readonly string[], meaning: string])[] = [
  [['MILLRACE_API_URL', 'PREFECT_API_URL'], 'API of the server.'],
  [['MILLRACE_API_AUTH_STRING', 'PREFECT_API_AUTH_STRING'], '`user:password` of a server with `MILLRACE_SERVER_API_AUTH_STRING`.'],
  [['MILLRACE_API_KEY', 'PREFECT_API_KEY'], 'API key.'],
  [['MILLRACE_API_AUTH_STRING_FILE', 'MILLRACE_API_KEY_FILE'], 'file with the credentials, so that they are in no environment.'],
  [['NO_COLOR'], 'no colours. Pipes have none anyway; `FORCE_COLOR=1` turns them on.'],
  [['MILLRACE_DEBUG'], 'shows where an unexpected error happened.'],
]
