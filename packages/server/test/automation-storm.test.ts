import { expect, test } from 'vitest'
import { createAutomation, runUntilIdle, seedDeployment, sendEvent } from './automations.ts'
import { reportFigures } from './proof-size.ts'
import { eachDialect, type TestApp } from './setup.ts'

const [automations, realEvents] = [100, 20]

/** All action types without outbound requests. Each type causes other events. */
const actionsFor = ({ deployment, pool, queue }: { deployment: string; pool: string; queue: string }): Record<string, unknown>[] => [
  { type: 'do-nothing' },
  { type: 'change-flow-run-state', state: 'FAILED', name: 'Stopped' },
  { type: 'run-deployment', source: 'selected', deployment_id: deployment },
  { type: 'pause-work-pool', source: 'selected', work_pool_id: pool },
  { type: 'resume-work-pool', source: 'selected', work_pool_id: pool },
  { type: 'pause-deployment', source: 'selected', deployment_id: deployment },
  { type: 'resume-deployment', source: 'selected', deployment_id: deployment },
  { type: 'pause-work-queue', source: 'selected', work_queue_id: queue },
  { type: 'resume-work-queue', source: 'selected', work_queue_id: queue },
]

const catchAll = [{}, { expect: ['*'] }, { expect: ['prefect.*'] }, { match: { 'prefect.resource.id': '*' } }]

async function measureLog(app: TestApp): Promise<{ events: number; bytes: number; waiting: number }> {
  const rows = await app.context.reads.kysely.selectFrom('event').select(['resource', 'related', 'payload']).execute()
  const kept = await app.context.reads.kysely.selectFrom('automation_firing').select('body').execute()
  const textBytes = rows.reduce((sum, { resource, related, payload }) => sum + resource.length + related.length + payload.length, 0)
  return { events: rows.length, bytes: textBytes, waiting: kept.length }
}

eachDialect('automations that match every event', (setup, dialect) => {
  test(`cause fewer than ten events for each real one: ${automations} of them`, async () => {
    const app = await setup()
    const things = await seedDeployment(app)
    const actions = actionsFor(things)
    for (let n = 0; n < automations; n += 1) {
      const trigger = { type: 'event', posture: 'Reactive', ...catchAll[n % catchAll.length] }
      await createAutomation(app, trigger, [actions[n % actions.length] as Record<string, unknown>], { name: `catch-all ${n}` })
    }
    await runUntilIdle(app)

    // Twice: suspended automations resume after a while.
    for (let round = 0; round < 2; round += 1) {
      const before = await measureLog(app)
      for (let n = 0; n < realEvents; n += 1) await app.call('POST', '/flow_runs/', { flow_id: things.flow, state: { type: 'PENDING' } })
      await runUntilIdle(app)
      const after = await measureLog(app)
      const perEvent = (after.events - before.events) / realEvents
      reportFigures(
        `${dialect}: ${perEvent} events and ${Math.round((after.bytes - before.bytes) / realEvents)} bytes for each of ${realEvents} real events`,
      )
      expect(perEvent).toBeLessThan(10)
      // An event of a flow run has about a kilobyte.
      expect((after.bytes - before.bytes) / realEvents).toBeLessThan(16_000)
      expect(after.waiting).toBe(0)
      expect((await app.call('GET', '/automations/suspended')).body.length).toBeGreaterThan(automations / 2)
      app.clock.advance(1000)
      await runUntilIdle(app)
      expect((await app.call('GET', '/automations/suspended')).body).toEqual([])
    }
  }, 120_000)

  test('stay enabled when there are two of them', async () => {
    const app = await setup()
    for (let n = 0; n < 2; n += 1) await createAutomation(app, { type: 'event', posture: 'Reactive', expect: ['*'] })
    await runUntilIdle(app)
    for (let n = 0; n < 300; n += 1) await sendEvent(app, 'thing.happened')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 600, executed: 600 })
    expect((await app.call('GET', '/automations/suspended')).body).toEqual([])
  }, 60_000)
})
