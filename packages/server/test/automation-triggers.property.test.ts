import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluateStep } from '../src/automations/evaluate.ts'
import { readCursor } from '../src/events/cursor.ts'
import { formatTime, toMicros } from '../src/lib/time.ts'
import { createAutomation, readAutomationEvents, uuid } from './automations.ts'
import { ModelAutomation, type ModelEvent, type ModelFiring, type ModelTrigger } from './model/triggers.ts'
import { eachDialect, type Setup, startApp, type TestApp } from './setup.ts'

const names = ['a', 'b', 'c']
const resourceIds = ['one', 'two']

/** Durations have distinct fractions, so that no event is exactly at the end of a period: the test clock drifts by microseconds. */
const durationArbitrary = fc.constantFrom(10.5, 20.5, 45.5)

const eventTrigger: fc.Arbitrary<object> = fc
  .record({
    posture: fc.constantFrom('Reactive', 'Proactive'),
    expect: fc.subarray(names, { minLength: 1 }),
    after: fc.oneof(fc.constant([]), fc.subarray(names, { minLength: 1, maxLength: 2 })),
    threshold: fc.integer({ min: 1, max: 3 }),
    for_each: fc.constantFrom([], ['prefect.resource.id']),
    within: fc.oneof(durationArbitrary, fc.constant(0)),
  })
  .map((made) => ({ type: 'event', ...made, within: made.posture === 'Proactive' && made.within === 0 ? 10.5 : made.within }))

const triggerArbitrary: fc.Arbitrary<object> = fc.letrec<{ trigger: object; composite: object }>((tie) => ({
  trigger: fc.oneof({ maxDepth: 2 }, { arbitrary: eventTrigger, weight: 3 }, tie('composite')),
  composite: fc
    .record({
      type: fc.constantFrom('compound', 'sequence'),
      within: fc.oneof(durationArbitrary, fc.constant(null)),
      triggers: fc.array(tie('trigger'), { minLength: 1, maxLength: 3 }),
      require: fc.constantFrom<'any' | 'all' | number>('any', 'all', 1, 2),
    })
    .map(({ require, ...made }) => ({
      ...made,
      ...(made.type === 'compound' ? { require: typeof require === 'number' ? Math.min(require, made.triggers.length) : require } : {}),
    })),
})).trigger

type Step =
  | { readonly kind: 'event'; readonly event: string; readonly thing: string; readonly ago: number }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'read'; readonly events: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'switch'; readonly which: number; readonly enabled: boolean }

const stepsArbitrary: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('event' as const),
        event: fc.constantFrom(...names),
        thing: fc.constantFrom(...resourceIds),
        ago: fc.integer({ min: -3, max: 30 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 5, 12, 40, 130) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('read' as const), events: fc.constantFrom(1, 2, 3, 200) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('switch' as const), which: fc.integer({ min: 0, max: 2 }), enabled: fc.boolean() }) },
  ),
  { minLength: 5, maxLength: 40 },
)

const toSeconds = (micros: number): number => micros / 1_000_000

/** Applies the same steps to a server and to the model, and returns the firings of both. */
async function runSteps(
  setup: Setup,
  made: readonly object[],
  what: readonly Step[],
): Promise<{ server: ModelFiring[][]; model: readonly ModelFiring[][] }> {
  const first = await setup()
  let app: TestApp = first
  let now = toMicros('2030-01-01T00:00:00Z')
  const ids: string[] = []
  const models: ModelAutomation[] = []
  for (const trigger of made) {
    const id = await createAutomation(app, trigger as Record<string, unknown>, [])
    ids.push(id)
    models.push(new ModelAutomation((await app.call('GET', `/automations/${id}`)).body.trigger as ModelTrigger, toSeconds(app.clock.now())))
  }
  const sent = new Map<string, ModelEvent>()
  let read = 0

  /** Feeds the model the events that the server has read. Both look at the clock when no event is left. */
  const step = async (events: number): Promise<boolean> => {
    const { checkedBuckets: timely, more } = await evaluateStep(app.context, events)
    const seen = (await readCursor(app.context.reads, 'automations')) ?? 0
    const rows = await app.context.reads.kysely
      .selectFrom('event')
      .select(['id', 'position', 'received'])
      .where('position', '>', read)
      .where('position', '<=', seen)
      .orderBy('position')
      .execute()
    for (const { id, received } of rows) {
      const event = sent.get(id)
      if (event) for (const model of models) model.read({ ...event, received: toSeconds(received) })
    }
    read = Math.max(read, seen)
    if (timely) for (const model of models) model.tick(toSeconds(app.clock.now()))
    return more
  }
  const drain = async () => {
    while (await step(200));
  }

  for (const [index, happening] of what.entries()) {
    if (happening.kind === 'event') {
      const id = uuid(index + 1)
      const occurred = now - happening.ago * 1_000_000 + 250_000
      sent.set(id, { id, event: happening.event, thing: happening.thing, occurred: toSeconds(occurred), received: 0 })
      await app.call('POST', '/events', [
        { id, occurred: formatTime(occurred), event: happening.event, resource: { 'prefect.resource.id': happening.thing } },
      ])
    } else if (happening.kind === 'pass') {
      now += happening.seconds * 1_000_000
      app.clock.advance(happening.seconds)
    } else if (happening.kind === 'read') await step(happening.events)
    else if (happening.kind === 'restart') {
      const next = await startApp(first.context.config.database.url, { seed: index, sharesFile: true })
      next.clock.set(app.clock.now())
      if (app !== first) await app.close()
      app = next
    } else if (happening.which < ids.length) {
      await app.call('PATCH', `/automations/${ids[happening.which]}`, { enabled: happening.enabled })
      models[happening.which]?.setEnabled(happening.enabled, toSeconds(app.clock.now()))
    }
  }
  await drain()
  app.clock.advance(200)
  await drain()
  const server = await Promise.all(
    ids.map(async (id) =>
      (await readAutomationEvents(app, id, 'triggered')).map(({ payload }) => ({
        event: payload.triggering_event?.id ?? null,
        labels: payload.triggering_labels,
      })),
    ),
  )
  if (app !== first) await app.close()
  return { server, model: models.map(({ fired }) => fired) }
}

eachDialect('triggers fire as the model does', (setup, dialect) => {
  test('for random events, times and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(triggerArbitrary, { minLength: 1, maxLength: 3 }), stepsArbitrary, async (made, what) => {
        const { server, model } = await runSteps(setup, made, what)
        expect(server).toEqual(model)
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 4 },
    )
  }, 120_000)
})
