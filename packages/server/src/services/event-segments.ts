import { readHead } from '../events/cursor.ts'
import { flushNextSegment } from '../events/segments/flush-segment.ts'
import { segmentEventsMax } from '../events/segments/segment-writer.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

const everySeconds = 10

/** Chapters of one pass while events come in, half a second's work: 3,000 events a second are kept up with, and who sends more for a while is not held up. */
const segmentsMax = 8

/** When fewer came while a chapter was made, nobody sends much: what a burst has left is put away at once, before somebody asks and waits for it. */
const idleEventsMax = 20

/**
 * Puts the event log into chapters, from which filters and counts are answered. What is in none yet is put into one in memory by whoever asks, so that
 * to be late costs time and nothing else. With several servers whoever comes first keeps a chapter.
 * Settings: none but services.enabled. Reports: chapters.
 */
export const eventSegments: Service = {
  name: 'event-segments',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  runOnce: async (context, signal) => ({ chapters: await flushSegments(context, signal) }),
}

/** How many chapters were kept. */
export async function flushSegments(context: ServerContext, signal: AbortSignal, size = segmentEventsMax): Promise<number> {
  let chapters = 0
  for (let head = await readHead(context.reads); !signal.aborted && (await flushNextSegment(context, signal, size)); ) {
    chapters += 1
    const before = head
    head = await readHead(context.reads)
    if (chapters >= segmentsMax && head - before >= idleEventsMax) break
  }
  return chapters
}
