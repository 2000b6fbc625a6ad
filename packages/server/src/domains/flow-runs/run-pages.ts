import { rawJson } from '../../lib/json.ts'
import type { Micros } from '../../lib/time.ts'
import { VersionedCache } from '../../lib/versioned-cache.ts'
import { type Db, statement } from '../../storage/database.ts'
import { perServer } from '../../storage/server-context.ts'
import type { RelatedFilters } from '../relations.ts'
import { hasTextSearch } from '../text-searches.ts'
import { type ListOptions, listFlowRuns, listRunVersions, type RunVersion, readListedRuns } from './list-runs.ts'
import { type RunText, runTextAt, toRunText } from './run-text.ts'
import { type ListedFlowRun, toFlowRunResponse } from './store.ts'

/**
 * Bounds the memory of cached runs: about 2,000 of ordinary size, ten of the largest pages. Under load a page has new runs every second, so the cache fills and
 * drops half of itself again and again: with 16 MiB the objects in use rose from 28 to 40 MB (ADR 0059).
 */
const cacheCharactersMax = 4 * 1024 * 1024

/** A read that finds a run changed since the list was read starts over. Under constant change the last attempt reads everything in one statement. */
const attemptsMax = 3

/** The names that a run's response takes from its queue and pool. They may change without the run. */
interface QueueNames {
  readonly queue_name?: string | null
  readonly work_pool_id: string | null
  readonly work_pool_name: string | null
}

interface CachedRun extends QueueNames {
  readonly work_queue_id: string | null
  readonly text: RunText
}

/**
 * Pages of flow runs as responses. Where rows have versions, a page first reads ids and versions; only the runs that changed since
 * an earlier page are read in full.
 */
export class RunPages {
  readonly #db: Db
  readonly #longReads: Db
  readonly #cache = new VersionedCache<CachedRun>(cacheCharactersMax)

  constructor(db: Db, longReads = db) {
    this.#db = db
    this.#longReads = longReads
  }

  /** The items of a page: JSON texts, and objects for runs with large values, which are loaded while the response is written. */
  async list(filters: RelatedFilters, options: ListOptions, now: () => Micros): Promise<unknown[]> {
    if (this.#db.dialect.rowVersion('flow_run') !== null) {
      for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
        const runs = await this.#complete(await listRunVersions(this.#db, filters, options))
        if (runs) return toItems(runs, now())
      }
    }
    const rows = await listFlowRuns(hasTextSearch(filters) ? this.#longReads : this.#db, filters, options)
    return toItems(
      rows.map((row) => toPageRun(row)),
      now(),
    )
  }

  /** Undefined if a run has changed or is gone. */
  async #complete(page: readonly RunVersion[]): Promise<(RunText | ListedFlowRun)[] | undefined> {
    const cached = await this.#readCached(page)
    const missing = page.filter(({ id }) => !cached.has(id))
    const read = new Map<string, RunText | ListedFlowRun>()
    if (missing.length > 0) {
      const versions = new Map(missing.map(({ id, version }) => [id, version]))
      for (const row of await readListedRuns(this.#db, [...versions.keys()])) {
        const run = this.#remember(row)
        if (versions.get(row.id) === row.version) read.set(row.id, run)
      }
    }
    const runs = page.map(({ id }) => cached.get(id) ?? read.get(id))
    return runs.every((run) => run !== undefined) ? runs : undefined
  }

  /** The cached runs of a page whose queue and pool still have the same names. */
  async #readCached(page: readonly RunVersion[]): Promise<ReadonlyMap<string, RunText>> {
    const found = new Map<string, CachedRun>()
    const queueIds = new Set<string>()
    for (const { id, version } of page) {
      const run = this.#cache.get(id, version)
      if (!run) continue
      found.set(id, run)
      if (run.work_queue_id !== null) queueIds.add(run.work_queue_id)
    }
    const names = queueIds.size === 0 ? new Map<string, QueueNames>() : await readQueueNames(this.#db, [...queueIds])
    const current = new Map<string, RunText>()
    for (const [id, run] of found) {
      if (run.work_queue_id === null || hasSameNames(run, names.get(run.work_queue_id))) current.set(id, run.text)
    }
    return current
  }

  #remember(row: ListedFlowRun & RunVersion): RunText | ListedFlowRun {
    const run = toPageRun(row)
    if (isText(run)) {
      const { work_queue_id, work_pool_id, work_pool_name, queue_name = null } = row
      const size = run.start.length + run.end.length
      this.#cache.set(row.id, row.version, { work_queue_id, queue_name, work_pool_id, work_pool_name, text: run }, size)
    }
    return run
  }
}

/** One cache per server. */
export const runPages = perServer(({ heavyReads, longReads }) => new RunPages(heavyReads, longReads))

const isText = (run: RunText | ListedFlowRun): run is RunText => 'start' in run

const toPageRun = (row: ListedFlowRun): RunText | ListedFlowRun => ((row as { lazy_columns?: number }).lazy_columns ? row : toRunText(row))

const toItems = (runs: readonly (RunText | ListedFlowRun)[], now: Micros): unknown[] =>
  runs.map((run) => (isText(run) ? rawJson(runTextAt(run, now)) : toFlowRunResponse(run, now)))

const queueNames = statement(
  (dialect) => `select work_queue.id, work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name
    from work_queue join work_pool on work_pool.id = work_queue.work_pool_id where ${dialect.inList('work_queue.id', '$1', 'uuid')}`,
)

async function readQueueNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, QueueNames>> {
  const rows = await db.all<QueueNames & { readonly id: string }>(queueNames, [db.dialect.list(ids)])
  return new Map(rows.map((row) => [row.id, row]))
}

const hasSameNames = (run: QueueNames, queue: QueueNames | undefined): boolean =>
  queue !== undefined && run.queue_name === queue.queue_name && run.work_pool_id === queue.work_pool_id && run.work_pool_name === queue.work_pool_name
