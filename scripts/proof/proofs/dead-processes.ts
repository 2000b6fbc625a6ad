import { setTimeout as pause } from 'node:timers/promises'
import { MICROS_PER_SECOND } from '../../../packages/server/src/lib/time.ts'
import { statement } from '../../../packages/server/src/storage/database.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'
import { type ChildProgram, startProgram } from '../child-program.ts'
import { below, exactly, largest, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { isSuccess, send } from '../requests.ts'

/** The shortest interval of clients. */
const intervalSeconds = 30
const missedHeartbeats = 3
const runsPerProcess = 50
const checkSeconds = 2
const env = { MILLRACE_SERVICES_ZOMBIE_DETECTION_EVERY_SECONDS: String(checkSeconds) }

const crashedStates = statement(
  `select flow_run.tags, state.flow_run_id, state.timestamp from flow_run_state state join flow_run on flow_run.id = state.flow_run_id
    where state.type = 'CRASHED'`,
)
const completedRuns = statement(`select id from flow_run where state_type = 'COMPLETED'`)

interface FlowProcess {
  readonly program: ChildProgram
  readonly runs: readonly string[]
  beats: number
  lastBeat: number
}

async function startFlowProcess(run: ProofRun, server: ServerProcess, flowId: string, kind: string, count: number): Promise<FlowProcess> {
  const runs = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await send(server.url, 'POST', '/flow_runs/', { flow_id: flowId, tags: [kind], state: { type: 'RUNNING' } })
      return response.body.id as string
    }),
  )
  const started = { runs, beats: 0, lastBeat: 0 }
  const program = startProgram<{ beat: number; at: number }>(run, 'flow-process', { url: server.url, runs, intervalSeconds }, ({ beat, at }) => {
    if (beat === 0) return run.log('A heartbeat was not accepted.')
    started.beats = beat
    started.lastBeat = at
  })
  return Object.assign(started, { program })
}

async function startProcesses(run: ProofRun, server: ServerProcess, flowId: string, kind: string, total: number): Promise<FlowProcess[]> {
  const processes: FlowProcess[] = []
  for (let left = total; left > 0; left -= runsPerProcess)
    processes.push(await startFlowProcess(run, server, flowId, kind, Math.min(left, runsPerProcess)))
  return processes
}

/** Ends the runs of a process right after a heartbeat: the last one may arrive with the final state, or after it. */
async function endRuns(run: ProofRun, server: ServerProcess, one: FlowProcess): Promise<number> {
  const beats = one.beats
  while (one.beats === beats) await pause(5)
  const ended = await Promise.all(
    one.runs.map(async (id) => {
      const late = {
        id: crypto.randomUUID(),
        event: 'prefect.flow-run.heartbeat',
        occurred: new Date().toISOString(),
        resource: { 'prefect.resource.id': `prefect.flow-run.${id}` },
      }
      const delayMs = run.pick([0, 0, 20])
      const heartbeat = pause(delayMs).then(() => send(server.url, 'POST', '/events', [late]))
      const state = await send(server.url, 'POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' } })
      await heartbeat
      return isSuccess(state) && state.body.status === 'ACCEPT'
    }),
  )
  await one.program.kill()
  return ended.filter(Boolean).length
}

async function run(run: ProofRun) {
  const database = await run.newDatabase()
  const server = await run.startServer(database, { env })
  const { id: flowId } = await server.post('/flows/', { name: 'f' })
  const dying = await startProcesses(run, server, flowId, 'dying', run.amount)
  const healthy = await startProcesses(run, server, flowId, 'healthy', run.amount)
  const all = [...dying, ...healthy]
  while (all.some(({ beats }) => beats < 2)) {
    run.checkInterrupted()
    await pause(200)
  }
  run.log(`${all.length} processes have sent two heartbeats`)
  const lastBeats = new Map<string, number>()
  for (const one of dying) {
    await pause(run.between(0, 5000 / dying.length))
    await one.program.kill()
    for (const id of one.runs) lastBeats.set(id, one.lastBeat)
  }
  // Half of the healthy runs end now and are watched while the others time out, the rest end after that.
  const half = Math.ceil(healthy.length / 2)
  let ended = 0
  for (const count of await Promise.all(healthy.slice(0, half).map((one) => endRuns(run, server, one)))) ended += count
  const deadline = Math.max(...lastBeats.values()) + (intervalSeconds * missedHeartbeats + 25) * 1000
  await pause(Math.max(0, deadline - Date.now()))
  for (const count of await Promise.all(healthy.slice(half).map((one) => endRuns(run, server, one)))) ended += count
  await pause(2 * checkSeconds * 1000)
  await server.kill('SIGTERM')

  const app = await run.openDatabase(database)
  const crashed = await app.context.reads.all<{ flow_run_id: string; timestamp: number }>(crashedStates)
  const completed = new Set((await app.context.reads.all<{ id: string }>(completedRuns)).map(({ id }) => id))
  const falseCrashes = crashed.filter(({ flow_run_id }) => !lastBeats.has(flow_run_id)).length
  const delays = crashed.flatMap(({ flow_run_id, timestamp }) => {
    const last = lastBeats.get(flow_run_id)
    return last === undefined ? [] : [timestamp / MICROS_PER_SECOND - last / 1000]
  })
  const healthyRuns = healthy.flatMap(({ runs }) => runs)
  run.amountText = `${lastBeats.size} dead and ${healthyRuns.length} healthy runs`
  return [
    exactly('runs of dead processes that became Crashed', delays.length, run.amount),
    below('longest time from the last heartbeat to Crashed', largest(delays), intervalSeconds * missedHeartbeats + 10, 's'),
    exactly('healthy runs that became Crashed', falseCrashes, 0),
    exactly('healthy runs that ended as Completed', healthyRuns.filter((id) => completed.has(id)).length, run.amount),
    observed('final states accepted right after a heartbeat', ended),
  ]
}

export const deadProcesses: Proof = {
  id: 'R10',
  promise: 'runs of dead processes become Crashed within three heartbeats, and no healthy run does',
  databases: ['sqlite', 'postgres'],
  full: { amount: 500, unit: 'dead runs, and as many healthy ones' },
  method: `Processes send heartbeats of ${runsPerProcess} flow runs each, every ${intervalSeconds} seconds, the shortest interval of clients. Half of the processes are killed with SIGKILL after two heartbeats. The runs of the others end right after a heartbeat, with another one sent beside the final state or 20 ms later: half of them while the dead ones time out, half of them after that.`,
  failure: `A run of a killed process is not Crashed ${intervalSeconds * missedHeartbeats + 10} seconds after its last heartbeat (three intervals, five seconds of margin, and the interval of the check), or a healthy run is Crashed or does not end as Completed.`,
  run,
}
