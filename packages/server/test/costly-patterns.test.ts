import { expect, test } from 'vitest'
import { createAutomation, reactiveTrigger, readTriggeringEventIds, runUntilIdle, sendEvent } from './automations.ts'
import { startEventLoopProbe } from './event-loop-probe.ts'
import { eachDialect, type TestApp } from './setup.ts'
import { connect } from './socket-client.ts'

/** Backtracking takes the product of both lengths for these: 60 seconds. */
const longPattern = `*${'a'.repeat(20_000)}b`
const longLabel = 'a'.repeat(200_000)
const labelled = { resource: { 'prefect.resource.id': 'thing', kind: longLabel } }

/** The most patterns that a filter takes, each as expensive as possible. */
const manyPatterns = Array.from({ length: 1000 }, (_, n) => `*${n}${'a'.repeat(900)}b`)

/** Replaces the pattern of a stored automation, as if an older server had saved it. */
async function storePattern(app: TestApp, id: string, from: string, to: string): Promise<void> {
  await app.context.commands.submit(async (tx) => {
    const row = await tx.kysely.selectFrom('automation').select('trigger').where('id', '=', id).executeTakeFirstOrThrow()
    await tx.kysely
      .updateTable('automation')
      .set({ trigger: row.trigger.replaceAll(from, to) })
      .where('id', '=', id)
      .execute()
    await tx.kysely
      .updateTable('automation_revision')
      .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
      .execute()
  })
}

async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const probe = startEventLoopProbe()
  await work()
  return probe.stop()
}

const readSuspended = async (app: TestApp) => (await app.call('GET', '/automations/suspended')).body

eachDialect('patterns that take long to match', (setup) => {
  test('suspend the automation that stored them and no other', async () => {
    const app = await setup()
    const stored = await createAutomation(app, reactiveTrigger('go', { match: { kind: 'PATTERN' } }), undefined, { name: 'stored' })
    await storePattern(app, stored, 'PATTERN', longPattern)
    const other = await createAutomation(app, reactiveTrigger('go', { match: { kind: '*a' } }))
    const event = await sendEvent(app, 'go', labelled)
    expect(await longestTurn(() => runUntilIdle(app))).toBeLessThan(500)
    const reason = 'A pattern has 20002 characters; at most 1000 are matched. Shorten it.'
    expect(await readSuspended(app)).toEqual([expect.objectContaining({ automation_id: stored, name: 'stored', reason })])
    expect((await app.call('GET', `/automations/${stored}/status`)).body.reason).toBe(`Suspended. ${reason}`)
    expect(await app.eventNames()).toContain('millrace.automation.suspended')
    // The cursor is behind the event, also for a server that starts now.
    expect(await readTriggeringEventIds(app, other)).toEqual([event])
    const next = await sendEvent(app, 'go', labelled)
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, other)).toEqual([event, next])
  })

  test('suspend an automation whose patterns of labels or names exceed the steps of an event', async () => {
    const app = await setup()
    const labels = await createAutomation(app, reactiveTrigger('go', { match: { kind: manyPatterns } }), undefined, { name: 'labels' })
    const names = await createAutomation(app, { type: 'event', posture: 'Reactive', expect: manyPatterns }, undefined, { name: 'names' })
    await sendEvent(app, 'go', labelled)
    await sendEvent(app, 'a'.repeat(1000))
    expect(await longestTurn(() => runUntilIdle(app))).toBeLessThan(500)
    const reason = 'Matching the patterns takes more than 250000 steps. Use fewer or shorter patterns, or fewer wildcards.'
    const suspended: { automation_id: string; reason: string }[] = await readSuspended(app)
    expect(suspended.map(({ automation_id }) => automation_id).sort()).toEqual([labels, names].sort())
    expect(new Set(suspended.map((one) => one.reason))).toEqual(new Set([reason]))
  })

  test('are refused above 1,000 characters', async () => {
    const app = await setup()
    const automation = (trigger: object) => ({ name: 'a', trigger: { type: 'event', posture: 'Reactive', ...trigger }, actions: [] })
    const tooLong = 'a'.repeat(1001)
    const refusals = [
      ['/automations/', automation({ match: { kind: tooLong } })],
      ['/automations/', automation({ match_related: [{ kind: ['x', tooLong] }] })],
      ['/automations/', automation({ expect: [tooLong] })],
      ['/automations/', automation({ after: [tooLong] })],
      ['/automations/', automation({ type: 'compound', require: 'any', within: null, triggers: [automation({ match: { kind: tooLong } }).trigger] })],
      ['/events/filter', { filter: { resource: { labels: { kind: tooLong } } } }],
      ['/events/count-by/event', { filter: { related: { labels: { kind: [tooLong] } } } }],
    ] as const
    for (const [path, body] of refusals) {
      const { status, body: answer } = await app.call('POST', path, body)
      expect([path, status]).toEqual([path, 422])
      expect(JSON.stringify(answer.detail)).toContain('String should have at most 1000 characters')
    }
    expect((await app.call('POST', '/automations/', automation({ match: { kind: tooLong.slice(1) } }))).status).toBe(201)
  })

  test('end a search for events with 422', async () => {
    const app = await setup()
    await sendEvent(app, 'go', labelled)
    const search = (labels: object, more: object = {}) => app.call('POST', '/events/filter', { filter: { resource: { labels }, ...more } })
    const answers = new Map<string, number>()
    const turn = await longestTurn(async () => {
      answers.set('one pattern', (await search({ kind: `*${'a'.repeat(990)}b` })).status)
      answers.set('many patterns', (await search({ kind: manyPatterns })).status)
      const ids = (await app.call('POST', '/events/filter', {})).body.events.map(({ id }: { id: string }) => id)
      answers.set('by id', (await search({ kind: manyPatterns }, { id: { id: ids } })).status)
    })
    expect(Object.fromEntries(answers)).toEqual({ 'one pattern': 200, 'many patterns': 422, 'by id': 422 })
    expect(turn).toBeLessThan(500)
    // A page token that this server did not make.
    const filter = { resource: { labels: { kind: longPattern } } }
    const token = { filter, since: 0, until: Number.MAX_SAFE_INTEGER, total: 5, limit: 1, shown: 0, after: null }
    const { status } = await app.call('GET', `/events/filter/next?page-token=${Buffer.from(JSON.stringify(token)).toString('base64url')}`)
    expect(status).toBe(403)
  })

  test('close a subscriber with the reason', async () => {
    const app = await setup()
    const subscribe = async (labels: object) => {
      const client = await connect(app, '/events/out')
      client.send({ type: 'filter', backfill: false, filter: { resource: { labels } } })
      return client
    }
    const costly = await subscribe({ kind: manyPatterns })
    const plain = await subscribe({ kind: '*a' })
    // Both subscriptions begin before the event.
    await Promise.all([costly.ping(), plain.ping()])
    expect(await (await subscribe({ kind: 'a'.repeat(1001) })).closed).toMatchObject({ code: 1002 })
    await sendEvent(app, 'go', labelled)
    expect((await plain.next()).event.event).toBe('go')
    expect(await costly.closed).toEqual({
      code: 1008,
      reason: 'Matching the patterns takes more than 250000 steps. Use fewer or shorter patterns, or fewer wildcards.',
    })
    // Recent events are searched before new ones are sent.
    const late = await connect(app, '/events/out')
    late.send({ type: 'filter', filter: { resource: { labels: { kind: manyPatterns } } } })
    expect(await late.closed).toMatchObject({ code: 1008 })
    plain.close()
  })
})
