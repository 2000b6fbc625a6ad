import { MillraceClient } from '@millrace/client/client.ts'
import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { Flow } from '@millrace/contracts/flow.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { afterAll, beforeAll, vi } from 'vitest'
import type { CliTestServer } from './cli-test.ts'

export const clientOf = ({ url }: CliTestServer): MillraceClient => new MillraceClient({ url })

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Replaces each id. */
export const anyId = '00000000-0000-0000-0000-000000000000'

/** Replaces ids by one of the same width, so that columns stay aligned, and the port of the server. */
export const withoutIds = (text: string): string => text.replaceAll(idPattern, anyId).replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4200')

/** An output of these lines. */
export const lines = (...each: readonly string[]): string => each.map((line) => `${line}\n`).join('')

/** Seconds between the start of the clock of a test server (2030-01-01T00:00:00Z) and the present of the command line. */
const presentSeconds = 3600

/** Stops the clock of the command line at 2030-01-01T01:00:00Z, so that ages are the same in each run. The server has a clock of its own. */
export function freezeClock(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-01-01T00:00:00Z') + presentSeconds * 1000 })
  })
  afterAll(() => {
    vi.useRealTimers()
  })
}

/** Moves the clock of the server to the present of the command line. */
export const moveToPresent = ({ app }: CliTestServer): void => app.clock.set((Date.parse('2030-01-01T00:00:00Z') + presentSeconds * 1000) * 1000)

interface RunSeed {
  readonly name: string
  readonly deployment?: DeploymentResponse
  readonly parameters?: Record<string, unknown>
  readonly tags?: string[]
  /** States after the first one, each with the seconds before it. */
  readonly states?: readonly (readonly [type: StateType, after?: number, message?: string, name?: string])[]
  /** Default: now. */
  readonly dueAt?: string
}

/** Creates a run and moves it through its states. The rules are skipped. */
export async function seedRun(server: CliTestServer, flow: Flow, seed: RunSeed): Promise<FlowRunResponse> {
  const client = clientOf(server)
  const state = { type: 'SCHEDULED' as const, ...(seed.dueAt && { state_details: { scheduled_time: seed.dueAt } }) }
  const { name, tags = [], parameters = {} } = seed
  const run = seed.deployment
    ? await client.deployments.createFlowRun(seed.deployment.id, { name, tags, parameters, state })
    : await client.flowRuns.create({ flow_id: flow.id, name, tags, parameters, state })
  for (const [type, after = 0, message, stateName] of seed.states ?? []) {
    server.app.clock.advance(after)
    await client.flowRuns.setState(run.id, {
      state: { type, ...(message && { message }), ...(stateName && { name: stateName }) },
      force: true,
    })
  }
  return client.flowRuns.read(run.id)
}

export interface Scene {
  readonly etl: Flow
  readonly report: Flow
  readonly pool: string
  readonly prod: DeploymentResponse
  readonly completed: FlowRunResponse
  readonly failed: FlowRunResponse
  readonly running: FlowRunResponse
  readonly late: FlowRunResponse
  readonly upcoming: FlowRunResponse
}

/** Two flows, a deployment and a run in each of five states. */
export async function seedScene(server: CliTestServer): Promise<Scene> {
  const client = clientOf(server)
  const etl = await client.flows.create({ name: 'etl', tags: ['prod', 'daily'] })
  const report = await client.flows.create({ name: 'report' })
  await client.workPools.create({ name: 'k8s', type: 'kubernetes' })
  const prod = await client.deployments.create({
    name: 'prod',
    flow_id: etl.id,
    tags: ['prod'],
    work_pool_name: 'k8s',
    entrypoint: 'etl.py:etl',
    version: '3',
    parameters: { rows: 100 },
    parameter_openapi_schema: {
      type: 'object',
      properties: { rows: { type: 'integer' }, region: { type: 'string', default: 'eu' }, source: { type: 'string' } },
      required: ['rows'],
    },
    enforce_parameter_schema: true,
    schedules: [{ schedule: { cron: '0 6 * * *', timezone: 'Europe/Berlin' }, slug: 'morning' }],
  })
  const completed = await seedRun(server, etl, {
    name: 'calm-lake',
    deployment: prod,
    tags: ['nightly'],
    states: [['PENDING'], ['RUNNING'], ['COMPLETED', 65, 'All done']],
  })
  const failed = await seedRun(server, etl, {
    name: 'bold-fox',
    deployment: prod,
    parameters: { rows: 5 },
    states: [['PENDING'], ['RUNNING', 60], ['FAILED', 2.5, 'Disk full']],
  })
  const late = await seedRun(server, report, { name: 'slow-snail', states: [['SCHEDULED', 30, undefined, 'Late']] })
  const upcoming = await seedRun(server, report, { name: 'next-newt', dueAt: '2030-01-01T02:00:00Z' })
  const running = await seedRun(server, report, {
    name: 'busy-bee',
    states: [
      ['PENDING', 600],
      ['RUNNING', 1],
    ],
  })
  moveToPresent(server)
  return { etl, report, pool: 'k8s', prod, completed, failed, running, late, upcoming }
}
