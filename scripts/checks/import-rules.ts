import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { isTest, listSourceFiles, readSource } from '../repository.ts'
import { findCycle } from './find-cycle.ts'
import { listImports } from './imports.ts'

const S = 'packages/server/src'
const foundation = ['contracts', 'lib', 'errors', 'config', 'version']

/** What each room may import beside itself. ARCHITECTURE.md shows the same list. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  version: [],
  lib: ['contracts'],
  errors: ['contracts', 'lib'],
  config: ['contracts', 'lib'],
  orchestration: ['contracts', 'lib'],
  schemas: foundation,
  storage: foundation,
  http: foundation,
  events: [...foundation, 'storage'],
  runs: [...foundation, 'storage', 'events', 'orchestration'],
  domains: [...foundation, 'storage', 'events', 'orchestration', 'schemas', 'runs'],
  automations: [...foundation, 'storage', 'events', 'runs', 'domains'],
  telemetry: [...foundation, 'storage'],
  metrics: [...foundation, 'storage', 'events', 'domains'],
  services: [...foundation, 'storage', 'events', 'runs', 'domains', 'automations'],
  doctor: [...foundation, 'storage', 'events', 'runs', 'domains'],
  adopt: [...foundation, 'storage', 'events', 'runs', 'domains', 'orchestration'],
  compat: [...foundation, 'storage', 'events', 'domains', 'automations', 'http'],
  client: ['contracts'],
  bench: [],
  site: [],
  dashboard: ['contracts', 'client'],
  cli: ['contracts', 'client', 'version', 'lib', 'config', 'cli-local', 'bench'],
}
/** `cli-local` is packages/cli/src/local: commands that work on the database or the process instead of the API. */
const unrestrictedRooms = new Set(['app', 'app-routes', 'assemble-app', 'main', 'process-group', 'millrace', 'scripts', 'cli-local', 'simulator'])

interface Edge {
  from: string
  line: number
  /** The imported file of this repository; undefined for a package. */
  to: string | undefined
  specifier: string
  isLazy: boolean
}

interface Rule {
  name: string
  isViolatedBy(edge: Edge): boolean
}

const roomRule: Rule = {
  name: 'may not import this room',
  isViolatedBy({ from, to }) {
    if (to === undefined) return false
    const [room, target] = [roomOf(from), roomOf(to)]
    return room !== target && !unrestrictedRooms.has(room) && !allowedImports[room]?.includes(target)
  },
}

const rules: readonly Rule[] = [
  roomRule,
  { name: 'imports a test file', isViolatedBy: ({ from, to }) => to !== undefined && isTest(to) && roomOf(from) !== 'scripts' },
  {
    name: 'imports another package by path instead of by name',
    isViolatedBy: ({ from, to, specifier }) => specifier.startsWith('.') && to !== undefined && crossesPackages(from, to),
  },
  {
    name: 'contracts import typebox only',
    isViolatedBy: ({ from, to, specifier }) => roomOf(from) === 'contracts' && to === undefined && specifier !== 'typebox',
  },
  {
    name: 'routes.ts and events.ts are private to their domain',
    isViolatedBy({ from, to }) {
      const owner = /^packages\/server\/src\/(domains\/[^/]+)\/(?:routes|events)\.ts$/.exec(to ?? '')?.[1]
      return owner !== undefined && from.startsWith(`${S}/domains/`) && !from.startsWith(`${S}/${owner}/`)
    },
  },
  {
    name: 'dialects stay behind the seam',
    isViolatedBy: ({ from, to }) =>
      /^packages\/server\/src\/storage\/(sqlite|postgres)\//.test(to ?? '') &&
      from.startsWith(`${S}/`) &&
      !from.startsWith(`${S}/storage/`) &&
      from !== `${S}/app.ts`,
  },
  {
    name: 'loads the server with every command: import it where it is used',
    isViolatedBy: ({ from, to, isLazy }) => roomOf(from) === 'cli' && to !== undefined && roomOf(to) === 'cli-local' && !isLazy,
  },
  {
    name: 'SQL stays in stores',
    isViolatedBy: ({ from, specifier }) =>
      /^(kysely|pg|node:sqlite)(\/|$)/.test(specifier) && ['lib', 'http', 'orchestration', 'compat', 'services'].includes(roomOf(from)),
  },
]

/** The list as ARCHITECTURE.md shows it. */
export function describeAllowedImports(): string {
  const words = (rooms: readonly string[]) =>
    foundation.every((room) => rooms.includes(room)) ? ['ground', ...rooms.slice(foundation.length)] : rooms
  return Object.entries(allowedImports)
    .map(([room, reached]) => `${room.padEnd(15)}${words(reached).join(' ') || 'nothing of ours'}`)
    .join('\n')
}

/** One line for each import that breaks a rule. Throws when a file could not be read. */
export function importViolations(root: string): string[] {
  const files = listSourceFiles(root).filter((path) => !isTest(path))
  const known = new Set(listSourceFiles(root))
  const found: string[] = []
  const graph = new Map<string, string[]>()
  for (const from of files) {
    if (!isKnownRoom(roomOf(from))) found.push(`${from}: no import rule for the room "${roomOf(from)}": add one to scripts/checks/import-rules.ts`)
    const edges = listImports(readSource(root, from), from).map(
      (entry): Edge => ({ ...entry, from, to: resolveSpecifier(root, from, entry.specifier) }),
    )
    for (const edge of edges) {
      const place = `${from}:${edge.line}: ${edge.specifier}`
      if (edge.to !== undefined && !known.has(edge.to) && !existsSync(join(root, edge.to))) found.push(`${place}: no such file: ${edge.to}`)
      for (const rule of rules) if (rule.isViolatedBy(edge)) found.push(`${place}: ${rule === roomRule ? `${roomOf(from)} ${rule.name}` : rule.name}`)
    }
    // Lazy imports and those of types count too: a reader follows them all the same.
    graph.set(
      from,
      edges.flatMap(({ to }) => (to === undefined ? [] : [to])),
    )
  }
  const cycle = findCycle(graph)
  return cycle ? [...found, `import cycle: ${cycle.join(' → ')}`] : found
}

function roomOf(path: string): string {
  const [top = '', name = '', , room = ''] = path.split('/')
  if (top !== 'packages') return top
  if (name === 'cli' && room === 'local') return 'cli-local'
  return name === 'server' ? room.replace(/\.tsx?$/, '') : name
}

const isKnownRoom = (room: string): boolean => Object.hasOwn(allowedImports, room) || unrestrictedRooms.has(room)

const crossesPackages = (from: string, to: string): boolean => from.startsWith('packages/') && from.split('/')[1] !== to.split('/')[1]

function resolveSpecifier(root: string, from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  const [, name, rest] = /^@millrace\/([^/]+)(?:\/(.*))?$/.exec(specifier) ?? []
  if (name === undefined) return specifier === 'millrace' ? 'packages/millrace/src/index.ts' : undefined
  return existsSync(join(root, 'packages', name)) ? `packages/${name}/src/${rest ?? 'index.ts'}` : `packages/${name}`
}
