import { type BenchContext, check, checkSampled, dayMs, isoTime, type User, type Workload } from '../workload.ts'
import { createFlowRun } from './runs.ts'

interface PolledRun {
  readonly work_queue_id: string | null
  readonly flow_run: { readonly state_type: string }
}

/** A worker that polls its pool: nothing is due, or runs are. */
export function pollWorkloads({ fixtures }: BenchContext): Workload[] {
  const poll = (name: string, offsetMs: number, mark: string, verify: (runs: PolledRun[]) => void): Workload => ({
    name: `poll.${name}`,
    unit: 'polls',
    isRead: true,
    operation: (user) =>
      checkSampled(
        user,
        'POST',
        `/work_pools/${fixtures.poolName}/get_scheduled_flow_runs`,
        { work_queue_names: [], scheduled_before: isoTime(Date.now() + offsetMs) },
        mark,
        verify,
      ),
  })
  return [
    poll('idle', -30 * dayMs, '[]', (runs) => check(runs.length === 0, `${runs.length} runs instead of none`)),
    poll('due', 2 * dayMs, 'SCHEDULED', (runs) =>
      check(runs.length > 0 && runs.every((run) => run.work_queue_id && run.flow_run.state_type === 'SCHEDULED'), `${runs.length} runs`),
    ),
  ]
}

const logBatch = 500
const logPage = 200
const logRuns = 4

/** 500 logs with one request, and a page of 200 logs of one run. */
export function logWorkloads(context: BenchContext): Workload[] {
  const runIds: string[] = []
  const prepare = async () => {
    while (runIds.length < logRuns) runIds.push(await createFlowRun(context, context.setup, `logs-${runIds.length}`))
  }
  const write = async ({ http, number }: Pick<User, 'http' | 'number'>) => {
    const now = Date.now()
    const batch = Array.from({ length: logBatch }, (_, i) => ({
      name: 'prefect.flow_runs',
      level: 20,
      timestamp: isoTime(now + i),
      flow_run_id: runIds[number % logRuns],
      task_run_id: null,
      message: `Processed record ${i} of the nightly import for customer-${i % 97} in ${i % 13} ms, nothing unusual to report`,
    }))
    await http.raw('POST', '/logs/', batch)
    return logBatch
  }
  return [
    { name: 'logs.write', unit: 'logs', prepare, operation: write },
    {
      name: 'logs.read',
      unit: 'pages',
      isRead: true,
      async prepare() {
        await prepare()
        await write({ http: context.setup, number: 0 })
      },
      operation(user) {
        const id = runIds[0] as string
        const body = { logs: { flow_run_id: { any_: [id] } }, sort: 'TIMESTAMP_ASC', limit: logPage }
        return checkSampled(user, 'POST', '/logs/filter', body, id, (logs: { flow_run_id: string }[]) =>
          check(logs.length === logPage && logs.every(({ flow_run_id }) => flow_run_id === id), `${logs.length} logs`),
        )
      },
    },
  ]
}
