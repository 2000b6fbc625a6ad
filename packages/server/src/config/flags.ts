import { closestMatch } from './closest-match.ts'

export interface Flag {
  /** Name of the argument in the help; absent if the flag takes none. */
  takes?: string
  help: string
  /** Settings and their values, for a flag without an argument. */
  sets?: Readonly<Record<string, string>>
  /** Setting that the argument sets. */
  setting?: string
}

/** Flags that set settings. */
export const serverFlags: Readonly<Record<string, Flag>> = {
  '--host': { takes: 'ADDRESS', help: 'address to listen on (127.0.0.1)', setting: 'server.host' },
  '--port': { takes: 'PORT', help: 'port to listen on (4200)', setting: 'server.port' },
  '--database': { takes: 'URL', help: 'sqlite:PATH, sqlite::memory: or postgres://… (sqlite:~/.millrace/millrace.db)', setting: 'database.url' },
  '--processes': { takes: 'COUNT', help: 'processes that share the port, on PostgreSQL (one for two cores, at most 4)', setting: 'server.processes' },
  '--allow-anonymous': { help: 'allow access from other machines without a password (with --host)', sets: { 'server.allow_anonymous': 'true' } },
  '--no-services': { help: 'serve the API without the background services', sets: { 'services.enabled': 'false' } },
  '--no-ui': { help: 'serve the API without the dashboard and the documentation', sets: { 'ui.enabled': 'false' } },
  '--services-only': {
    help: 'run only the background services, without API and dashboard',
    sets: { 'server.api.enabled': 'false', 'ui.enabled': 'false' },
  },
}

const flags: Readonly<Record<string, Flag>> = {
  ...serverFlags,
  '--help': { help: 'show this help' },
  '--version': { help: 'show the version' },
}

/** Whether an argument is a flag of the server, alone or as `--flag=value`. */
export const isServerFlag = (argument: string): boolean => Object.hasOwn(serverFlags, argument.replace(/=.*$/s, ''))

export interface Flags {
  /** Values by the path of their setting, with the flag that set them. */
  given: ReadonlyMap<string, { text: string; source: string }>
  request: 'serve' | 'help' | 'version'
  problems: string[]
}

export function readFlags(argv: readonly string[]): Flags {
  const given = new Map<string, { text: string; source: string }>()
  const problems: string[] = []
  const seen = new Set<string>()
  for (let i = 0; i < argv.length; i++) {
    const [, name = '', inline] = /^(--?[^=]*)(?:=(.*))?$/s.exec(argv[i] ?? '') ?? []
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) {
      problems.push(name === '' ? `Unexpected argument: ${argv[i]}. The server only takes flags, see --help.` : unknownFlag(name))
      continue
    }
    seen.add(name)
    if (flag.takes) {
      const text = inline ?? argv[++i]
      if (text === undefined || (inline === undefined && text.startsWith('--'))) problems.push(`Missing value: ${name} ${flag.takes}`)
      else if (flag.setting) given.set(flag.setting, { text, source: name })
    } else if (inline !== undefined) problems.push(`${name} takes no value`)
    for (const [place, text] of Object.entries(flag.sets ?? {})) given.set(place, { text, source: name })
  }
  if (seen.has('--no-services') && seen.has('--services-only'))
    problems.push('--no-services and --services-only exclude each other. Use one of them.')
  const request = seen.has('--help') ? 'help' : seen.has('--version') ? 'version' : 'serve'
  return { given, request, problems }
}

function unknownFlag(name: string): string {
  const meant = closestMatch(name, Object.keys(flags))
  return `Unknown flag: ${name}. ${meant ? `Did you mean ${meant}?` : 'See --help.'}`
}

/** The text of --help. */
export function usage(command: string): string {
  const rows = Object.entries(flags).map(([name, { takes, help }]) => [takes ? `${name} ${takes}` : name, help] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    `Usage: ${command} [flags]`,
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
    'Every setting can be set in the environment (MILLRACE_SERVER_PORT=4200). docs/config.md lists them.',
    '',
  ].join('\n')
}
