import { splitSource } from './split-source.ts'

/**
 * Finds names and phrases that were retired in favour of the words of the field (HACKING.md, "Plain words"). Each entry gives the word to use
 * instead.
 */

/** Retired parts of identifiers and file names: `lane` is found in `openLane`, `lane-1.ts` and `LANES_MAX`, not in `planet`. */
const retiredNames: Readonly<Record<string, string>> = {
  lane: 'write queue',
  chapter: 'segment',
  shelf: 'segment index',
  'places-of-subjects': 'latest per resource',
  'subject-numbers': 'resource ids',
  'written-numbers': 'json bytes',
  'word-finds': 'search cache',
  'open-parts': 'segment cache',
  'columns-file': 'column codec',
  'seen-event': 'logged event',
  'others-first': 'yield to event loop',
  tally: 'rollup',
  deed: 'action',
  'early-events': 'reorder buffer',
  'is-own-saying': 'is self emitted',
  habit: 'lease mode',
  foreman: 'worker monitor',
  repossess: 'expire leases',
  repossession: 'lease expiration',
  hasten: 'wake slot waiters',
  'per-parts': 'per server',
  'open-tx': 'transaction',
  'db-over': 'read connection',
  'time-parts': 'partitions',
  'slot-book': 'slot ledger',
  'slot-traffic': 'slot batch',
  'waiting-room': 'waiter registry',
  'told-run': 'parse task event',
  'walked-order': 'sort index',
  'searched-runs': 'parameter search',
  'asks-nothing': 'empty criteria',
  'document-family': 'document graph',
  'key-place': 'key store',
  'worker-hello': 'handshake',
  'fade-queues': 'mark stale',
  'hang-up': 'client disconnect',
  'old-readers': 'strip fields',
  'clockwork-times': 'stepped times',
  'own-limit': 'deployment limit',
  'use-own-value': 'use optimistic value',
  'use-settled': 'use debounced',
  'far-picture': 'overview bitmap',
  mill: 'seed',
}

/** Test data may contain these: a work pool named `mill`, the host `mill.example`. */
const allowedInStrings: ReadonlySet<string> = new Set(['mill'])

/** Migrations own tables and columns with these words: `event_chapter`, `event_tally`. */
const allowedInTableNames: ReadonlySet<string> = new Set(['chapter', 'tally', 'early-events'])
const tableName = /^\d*[a-z]*(?:_[a-z]+)+$/

const identifiers = /[A-Za-z_$][\w$-]*/g

/** Retired phrases, in comments, texts and documents. */
const retiredPhrases: Readonly<Record<string, string>> = {
  whoever: 'the client, the caller, the waiter …',
  whomever: 'the client, the caller, the waiter …',
  'for ever': 'forever, or the time limit',
  'that which': 'a noun',
  'the wheel stands still': 'No runs yet',
  'take a filter off': 'Clear filters',
  happenings: 'Events',
  'something is missing': 'Missing argument: NAME',
  'one word too many': 'Unexpected argument: VALUE',
  'it brought nothing along': 'No payload',
  'nothing answers': 'No route for …',
  'waiting room': 'waiter registry',
  'stumble over': 'cannot read',
}

interface Exception {
  readonly path: RegExp
  /** All words, when left out. */
  readonly words?: readonly string[]
  readonly reason: string
}

const exceptions: readonly Exception[] = [
  { path: /^scripts\/plain-words(\.test)?\.ts$/, reason: 'the list itself' },
  { path: /^packages\/server\/src\/config[./].*ts$/, words: ['foreman', 'repossession'], reason: 'old setting names stay as aliases' },
  {
    path: /worker-(?:channel|handshake)(?:\.test)?\.ts$/,
    words: ['worker-hello'],
    reason: 'the protocol of the reference names the first frame worker.hello.v1',
  },
  { path: /^docs\/config\.md$/, words: ['foreman'], reason: 'generated: shows the aliases of settings' },
  { path: /^packages\/dashboard\//, words: ['lane'], reason: 'run lanes: the rows of the run chart' },
  { path: /\/migrations\//, reason: 'applied migrations are never edited; their names are in the ledger of each database' },
]

export interface TextFile {
  readonly path: string
  readonly text: string
}

export const isPlainWordsFile = (path: string): boolean =>
  /\.(?:ts|tsx|mjs|js|css|html|py|md)$/.test(path) && path !== 'CHANGELOG.md' && !path.startsWith('docs/openapi')

/** One line for each retired name or phrase. CHANGELOG.md is left out: it describes the past. */
export function plainWordViolations(files: readonly TextFile[]): string[] {
  return files.flatMap((file) => [...findNames(file), ...findPhrases(file)])
}

function findNames({ path, text }: TextFile): string[] {
  const found = path.split('/').flatMap((name) => namesIn(name).map((word) => ({ word, place: path })))
  // Prose of documents may use ordinary words such as "chapter"; names in code may not.
  if (!path.endsWith('.md')) {
    const code = /\.tsx?$/.test(path) ? splitSource(text).code.split('\n') : []
    text.split('\n').forEach((line, index) => {
      const words = new Set((line.match(identifiers) ?? []).flatMap(namesIn))
      const codeWords = new Set((code[index]?.match(identifiers) ?? []).flatMap(namesIn))
      for (const word of words) if (!allowedInStrings.has(word) || codeWords.has(word)) found.push({ word, place: `${path}:${index + 1}` })
    })
  }
  return found
    .filter(({ word }) => !isAllowed(path, word))
    .map(({ word, place }) => `${place}: the name "${word}" is retired: use "${retiredNames[word]}"`)
}

/** The retired words in an identifier, once each. */
function namesIn(identifier: string): string[] {
  const parts = identifier
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_$.]+/)
  const kebab = `-${parts.join('-')}-`
  const singular = `-${parts.map((part) => part.replace(/s$/, '')).join('-')}-`
  return Object.keys(retiredNames)
    .filter((word) => kebab.includes(`-${word}-`) || singular.includes(`-${word}-`))
    .filter((word) => !(allowedInTableNames.has(word) && tableName.test(identifier)))
}

function findPhrases({ path, text }: TextFile): string[] {
  return text.split('\n').flatMap((line, index) =>
    Object.entries(retiredPhrases)
      .filter(([phrase]) => new RegExp(`\\b${phrase}\\b`, 'i').test(line) && !isAllowed(path, phrase))
      .map(([phrase, instead]) => `${path}:${index + 1}: "${phrase}" is retired: use ${instead}`),
  )
}

const isAllowed = (path: string, word: string): boolean =>
  exceptions.some((exception) => exception.path.test(path) && (exception.words === undefined || exception.words.includes(word)))
