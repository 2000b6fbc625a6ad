import { closestMatch } from './closest-match.ts'

interface Flag {
  /** How the argument is called in the help; absent for a flag that takes none. */
  takes?: string
  help: string
  /** The settings that it gives, and for a flag without argument, as what. */
  sets?: Readonly<Record<string, string>>
  setting?: string
}

const flags: Readonly<Record<string, Flag>> = {
  '--host': { takes: 'ADDRESS', help: 'address to listen on (127.0.0.1)', setting: 'server.host' },
  '--port': { takes: 'PORT', help: 'port to listen on (4200)', setting: 'server.port' },
  '--database': { takes: 'URL', help: 'sqlite:PATH, sqlite::memory: or postgres://… (sqlite:~/.millrace/millrace.db)', setting: 'database.url' },
  '--allow-anonymous': { help: 'let other machines in without a password (with --host)', sets: { 'server.allow_anonymous': 'true' } },
  '--no-services': { help: 'answer requests only, without the background services', sets: { 'services.enabled': 'false' } },
  '--no-ui': { help: 'serve the API without the dashboard', sets: { 'ui.enabled': 'false' } },
  '--services-only': {
    help: 'run the background services only, without API and dashboard',
    sets: { 'server.api.enabled': 'false', 'ui.enabled': 'false' },
  },
  '--help': { help: 'show this' },
  '--version': { help: 'show the version' },
}

export interface Flags {
  /** Texts by the place of their setting, with the flag that gave them. */
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
      problems.push(name === '' ? `${argv[i]}: the server takes no arguments, only flags` : unknownFlag(name))
      continue
    }
    seen.add(name)
    if (flag.takes) {
      const text = inline ?? argv[++i]
      if (text === undefined || (inline === undefined && text.startsWith('--'))) problems.push(`${name} needs a value: ${name} ${flag.takes}`)
      else if (flag.setting) given.set(flag.setting, { text, source: name })
    } else if (inline !== undefined) problems.push(`${name} takes no value`)
    for (const [place, text] of Object.entries(flag.sets ?? {})) given.set(place, { text, source: name })
  }
  if (seen.has('--no-services') && seen.has('--services-only')) problems.push('--no-services and --services-only leave nothing to run')
  const request = seen.has('--help') ? 'help' : seen.has('--version') ? 'version' : 'serve'
  return { given, request, problems }
}

function unknownFlag(name: string): string {
  const meant = closestMatch(name, Object.keys(flags))
  return `${name} is no flag of the server${meant ? `; did you mean ${meant}?` : ', see --help'}`
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
    'Every setting can be given in the environment (MILLRACE_SERVER_PORT=4200); docs/config.md lists them.',
    '',
  ].join('\n')
}
