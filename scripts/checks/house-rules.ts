import { isTest, listSourceFiles, readSource } from '../repository.ts'
import { listImports } from './imports.ts'
import { lineOf, type SourceText, splitSource } from './split-source.ts'

const S = 'packages/server/src'
const LINES_MAX = 400

/** Names that say nothing of what is inside: whatever is put there has a better home. */
const vagueEndings = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager', 'base']
/** Vague alone, and clear after a noun: `segment-index`, `worker-types`. */
const vagueNames = [...vagueEndings, 'index', 'types', 'models']
/** Packages are imported by this name. */
const entryPoints = ['packages/client/src/index.ts']

interface Ban {
  pattern: RegExp
  instead: string
  /** Where it holds. */
  below: string
  /** The files that may use it. */
  except: readonly string[]
}

const bans: readonly Ban[] = [
  {
    pattern: /\bnew Date\(|\bDate\.(?:now|parse)\b|\bperformance\.now\b|\bTemporal\.Now\b|\bhrtime\b/g,
    instead: 'take the time from the clock that is passed in',
    below: `${S}/`,
    except: [`${S}/lib/time.ts`],
  },
  {
    pattern: /\bset(?:Timeout|Interval)\b/g,
    instead: 'only the clock and the service loop wait',
    below: `${S}/`,
    except: [`${S}/lib/time.ts`, `${S}/services/loop.ts`],
  },
  { pattern: /\bprocess\.env\b/g, instead: 'config.ts reads the environment', below: `${S}/`, except: [`${S}/config.ts`] },
  {
    pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/g,
    instead: 'take randomness from the source that is passed in',
    below: 'packages/',
    // json.ts draws one mark that outsiders must not guess, and that nobody ever sees. The client has its own source.
    except: [`${S}/lib/random.ts`, `${S}/lib/json.ts`, 'packages/client/src/random.ts'],
  },
]

interface TableOfContents {
  folder: string
  /** The files that list the others; the first is where a new one belongs. */
  lists: readonly string[]
  /** Files of the folder that are no entries. */
  except: readonly string[]
}

const tablesOfContents: readonly TableOfContents[] = [
  { folder: `${S}/orchestration/rules`, lists: [`${S}/orchestration/policies.ts`], except: [] },
  { folder: `${S}/services`, lists: [`${S}/services/all-services.ts`], except: ['all-services.ts', 'service.ts', 'loop.ts'] },
  { folder: `${S}/automations/actions`, lists: [`${S}/automations/execute-action.ts`], except: [] },
]

/** A line for every breach of the house rules that no other tool knows. */
export function houseRuleViolations(root: string): string[] {
  const files = listSourceFiles(root)
  const found: string[] = []
  for (const path of files) {
    const text = readSource(root, path)
    const source = splitSource(text)
    found.push(...findVagueNames(path), ...findLongFiles(path, text), ...findBannedCalls(path, source), ...findUntrackedTodos(path, source))
  }
  return [...found, ...tablesOfContents.flatMap((contents) => findUnlistedFiles(root, files, contents))]
}

function findVagueNames(path: string): string[] {
  if (entryPoints.includes(path)) return []
  const names = path.replace(/(\.test)?\.tsx?$/, '').split('/')
  return names
    .filter((name) => vagueNames.includes(name) || vagueEndings.some((ending) => name.endsWith(`-${ending}`)))
    .map((name) => `${path}: "${name}" does not say what is inside`)
}

function findLongFiles(path: string, text: string): string[] {
  const lines = text.split('\n').length - 1
  return lines > LINES_MAX && !path.includes('/test/') ? [`${path}: ${lines} lines, ${LINES_MAX} at most`] : []
}

function findBannedCalls(path: string, { code }: SourceText): string[] {
  if (isTest(path)) return []
  return bans
    .filter(({ below, except }) => path.startsWith(below) && !except.includes(path))
    .flatMap(({ pattern, instead }) => [...code.matchAll(pattern)].map((match) => `${path}:${lineOf(code, match.index)}: ${match[0]}: ${instead}`))
}

/** A promise to do something later needs a place where somebody meets it again. */
function findUntrackedTodos(path: string, { comments }: SourceText): string[] {
  return [...comments.matchAll(/\b(?:TODO|FIXME|XXX)\b(?!.*#\d)/g)].map(
    (match) => `${path}:${lineOf(comments, match.index)}: ${match[0]} without the number of an issue`,
  )
}

function findUnlistedFiles(root: string, files: readonly string[], { folder, lists, except }: TableOfContents): string[] {
  const entries = files.filter((path) => path.startsWith(`${folder}/`) && !isTest(path) && !except.includes(path.slice(folder.length + 1)))
  const listed = lists
    .filter((list) => files.includes(list))
    .flatMap((list) => listImports(readSource(root, list), list).map(({ specifier }) => new URL(specifier, `file:///${list}`).pathname.slice(1)))
  return entries.filter((entry) => !listed.includes(entry)).map((entry) => `${entry}: not listed in ${lists[0]}`)
}
