import { afterEach, expect, test, vi } from 'vitest'
import type { EventRow } from '../store.ts'
import { type SegmentBuild, SegmentBuilder } from './segment-builder.ts'
import { SegmentThread } from './segment-thread.ts'

let thread: SegmentThread | undefined
afterEach(() => thread?.close())

function open(idleSeconds?: number): SegmentThread {
  thread = new SegmentThread(idleSeconds)
  return thread
}

const eventRow = (position: number, resource = `{"prefect.resource.id":"thing.${position % 40}"}`): EventRow => ({
  position,
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
  occurred: 1_700_000_000_000_000 + position,
  received: 1_700_000_000_500_000 + position,
  event: `thing.${position % 3}`,
  resource_id: `thing.${position % 40}`,
  resource,
  related: '[{"prefect.resource.id":"other","prefect.resource.role":"flow"}]',
  payload: `{"number":${position},"text":"größer als 木"}`,
  follows: position % 5 === 0 ? '11111111-1111-4111-8111-111111111111' : null,
})
const rowsBetween = (from: number, to: number): EventRow[] => Array.from({ length: to - from }, (_, index) => eventRow(from + index))

async function encodeAll(build: SegmentBuild) {
  for (let from = 1; from <= 700; from += 100) await build.add(rowsBetween(from, from + 100))
  return { positions: build.positions, ...(await build.encode()) }
}

test('builds the same segments as this thread does', async () => {
  const segments = open()
  const expected = plain(await encodeAll(new SegmentBuilder(700)))
  expect(expected.parts.length).toBeGreaterThan(8)
  for (let round = 0; round < 2; round += 1) expect(plain(await encodeAll(segments.begin(700)))).toEqual(expected)
})

/** Bytes as text: those of the other thread are no Buffers. */
function plain({ parts, ...segment }: Awaited<ReturnType<typeof encodeAll>>) {
  return { ...segment, parts: parts.map(({ body, ...part }) => ({ ...part, body: Buffer.from(body).toString('base64') })) }
}

test('discards a segment that was not encoded', async () => {
  const segments = open()
  const discarded = segments.begin(700)
  await discarded.add(rowsBetween(1000, 1100))
  expect(plain(await encodeAll(segments.begin(700)))).toEqual(plain(await encodeAll(new SegmentBuilder(700))))
})

test('reports rows that cannot be built, and builds the next segment', async () => {
  const segments = open()
  const broken = segments.begin(10)
  await broken.add([eventRow(1, 'not JSON')])
  await expect(broken.encode()).rejects.toThrow(/An event segment could not be built: SyntaxError/)
  const next = segments.begin(10)
  await next.add([eventRow(2)])
  expect((await next.encode()).bounds).toMatchObject({ first: 2, count: 1 })
})

test('reports a thread that ends, and starts another one', async () => {
  const segments = open()
  const interrupted = segments.begin(10)
  await interrupted.add([eventRow(1)])
  const outcome = expect(interrupted.encode()).rejects.toThrow('The thread that builds event segments ended')
  await segments.close()
  await outcome
  await expect(interrupted.encode()).rejects.toThrow('The thread that builds event segments ended')
  expect((await encodeAll(segments.begin(700))).bounds.count).toBe(700)
})

test('does not continue a segment on another thread', async () => {
  const segments = open()
  const begun = segments.begin(10)
  await segments.close()
  await begun.add([eventRow(1)])
  await expect(begun.encode()).rejects.toThrow('The thread was replaced while it built a segment')
})

test('ends when there is nothing to build for a while', async () => {
  const segments = open(0.05)
  await encodeAll(segments.begin(700))
  expect(segments.isRunning).toBe(true)
  await vi.waitFor(() => expect(segments.isRunning).toBe(false), { timeout: 5000 })
  expect((await encodeAll(segments.begin(700))).bounds.count).toBe(700)
})
