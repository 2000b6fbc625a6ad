/**
 * A bare server for the requests of the lifecycle, tasks and pages: the limit of what Fastify and SQLite reach on a machine. It checks almost nothing
 * and has no rules, no filters and no background services. Commits are durable, and requests of one turn of the event loop share a transaction, as in
 * Millrace. Start it as a process: `node prototype.ts DATABASE_FILE`. It prints its URL.
 */
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

interface RunBody {
  readonly name?: string
  readonly flow_id?: string
  readonly flow_run_id?: string
  readonly tags?: readonly string[]
  readonly state?: StateBody
}

interface StateBody {
  readonly type: string
  readonly name?: string | null
  readonly state_details?: Readonly<Record<string, unknown>>
}

interface RunRow {
  readonly id: string
  readonly kind: 'flow_runs' | 'task_runs'
  readonly body: string
  readonly state_type: string
  readonly run_count: number
  readonly start_time: number
  readonly end_time: number | null
}

const terminalTypes = new Set(['COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED'])

const schema = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists run (
    id text primary key, kind text not null, body text not null, state_type text not null, run_count integer not null, start_time integer not null,
    end_time integer) without rowid;
  create index if not exists run_start on run (kind, start_time desc);
  create table if not exists state (id text primary key, run_id text not null, type text not null, body text not null, time integer not null) without rowid;
  create table if not exists event (position integer primary key, time integer not null, name text not null, body text not null);
`

export function startPrototype(file: string) {
  const database = new DatabaseSync(file)
  database.exec(schema)
  const insertRun = database.prepare('insert into run values (?, ?, ?, ?, ?, ?, ?)')
  const insertState = database.prepare('insert into state values (?, ?, ?, ?, ?)')
  const insertEvent = database.prepare('insert into event (time, name, body) values (?, ?, ?)')
  const selectRun = database.prepare('select * from run where id = ?')
  const updateRun = database.prepare('update run set state_type = ?, run_count = run_count + ?, end_time = ? where id = ?')
  const selectPage = database.prepare("select * from run where kind = 'flow_runs' order by start_time desc limit ? offset ?")
  const countRuns = database.prepare("select count(*) as count from run where kind = 'flow_runs'")
  const write = groupCommit(database)
  const newId = idGenerator()
  const names = new Map<string, string>()

  function addState(run: Pick<RunRow, 'id' | 'kind'>, state: StateBody, now: number) {
    const stored = { id: newId(), type: state.type, name: state.name ?? state.type, timestamp: iso(now), state_details: state.state_details ?? {} }
    insertState.run(stored.id, run.id, state.type, JSON.stringify(stored), now)
    const event = { occurred: iso(now), resource: { 'prefect.resource.id': `prefect.${run.kind}.${run.id}` }, payload: stored }
    insertEvent.run(now, `prefect.${run.kind}.${stored.name}`, JSON.stringify(event))
    return stored
  }

  function createRun(kind: RunRow['kind'], body: RunBody) {
    const now = Date.now()
    const row: RunRow = { id: newId(), kind, body: '', state_type: body.state?.type ?? 'PENDING', run_count: 0, start_time: now, end_time: null }
    const state = addState(row, body.state ?? { type: 'PENDING' }, now)
    insertRun.run(row.id, kind, JSON.stringify(body), row.state_type, 0, now, null)
    return { ...body, id: row.id, state, state_type: row.state_type, created: iso(now), expected_start_time: iso(now) }
  }

  function setState(id: string, { state }: { readonly state: StateBody }) {
    const run = selectRun.get(id) as unknown as RunRow | undefined
    if (!run) return { status: 'ABORT', state: null }
    const now = Date.now()
    const stored = addState(run, state, now)
    updateRun.run(state.type, state.type === 'RUNNING' ? 1 : 0, terminalTypes.has(state.type) ? now : null, id)
    return { status: 'ACCEPT', state: stored, details: { type: 'accept_details' } }
  }

  const server = fastify()
  /** Flows, deployments and pools are not measured: they stay in memory. */
  const named = (body: { readonly name: string }) => {
    const id = names.get(body.name) ?? newId()
    names.set(body.name, id)
    return { ...body, id }
  }
  for (const noun of ['flows', 'deployments', 'work_pools']) server.post<{ Body: { name: string } }>(`/api/${noun}/`, async ({ body }) => named(body))
  server.get('/api/health', async () => true)
  for (const kind of ['flow_runs', 'task_runs'] as const) {
    server.post<{ Body: RunBody }>(`/api/${kind}/`, ({ body }) => write(() => createRun(kind, body)))
    server.post<{ Params: { id: string }; Body: { state: StateBody } }>(`/api/${kind}/:id/set_state`, ({ params, body }) =>
      write(() => setState(params.id, body)),
    )
  }
  server.get<{ Params: { id: string } }>('/api/flow_runs/:id', async ({ params }) => toAnswer(selectRun.get(params.id) as unknown as RunRow))
  server.post<{ Body: { limit: number; offset?: number } }>('/api/flow_runs/filter', async ({ body }) =>
    (selectPage.all(body.limit, body.offset ?? 0) as unknown as RunRow[]).map(toAnswer),
  )
  server.post<{ Body: { limit: number; page: number } }>('/api/flow_runs/paginate', async ({ body: { limit, page } }) => ({
    results: (selectPage.all(limit, (page - 1) * limit) as unknown as RunRow[]).map(toAnswer),
    count: countRuns.get()?.count,
    limit,
    page,
  }))
  server.post('/api/flow_runs/count', async () => countRuns.get()?.count)
  return server
}

/** Runs commands that arrive in one turn of the event loop in one transaction, and answers each after the commit. */
function groupCommit(database: DatabaseSync) {
  let waiting: { command: () => unknown; resolve: (value: unknown) => void }[] = []
  const flush = () => {
    const batch = waiting
    waiting = []
    database.exec('begin immediate')
    const results = batch.map(({ command }) => command())
    database.exec('commit')
    for (const [index, { resolve }] of batch.entries()) resolve(results[index])
  }
  return (command: () => unknown): Promise<unknown> =>
    new Promise((resolve) => {
      waiting.push({ command, resolve })
      if (waiting.length === 1) setImmediate(flush)
    })
}

/** Ascending like the ids of Millrace. The time keeps them apart from those of an earlier start. */
function idGenerator(): () => string {
  const start = Date.now().toString(16).padStart(12, '0')
  let count = 0
  return () => {
    count += 1
    return `${start.slice(0, 8)}-${start.slice(8)}-4000-8000-${count.toString(16).padStart(12, '0')}`
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

function toAnswer(row: RunRow) {
  const start_time = iso(row.start_time)
  const end_time = row.end_time === null ? null : iso(row.end_time)
  const { id, state_type, run_count } = row
  return { ...JSON.parse(row.body), id, state_type, run_count, start_time, expected_start_time: start_time, end_time }
}

if (import.meta.main) {
  const server = startPrototype(process.argv[2] ?? ':memory:')
  process.stdout.write(`ready at ${await server.listen({ host: '127.0.0.1', port: 0 })}\n`)
  process.once('SIGTERM', () => void server.close().then(() => process.exit()))
}
