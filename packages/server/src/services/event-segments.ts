import { readHead } from '../events/cursor.ts'
import { convertNextLegacySegment, flushNextSegment, maintainLog } from '../events/segments/flush-segment.ts'
import { segmentEventsMax } from '../events/segments/segment-writer.ts'
import type { ActingContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

const everySeconds = 10

/** Segments per pass while events arrive: half a second of work. This keeps up with 3,000 events per second without delaying ingestion. */
const segmentsMax = 8

/** Below this number of new events per segment the server is idle. The pass then continues beyond `segmentsMax`. */
const idleEventsMax = 20

/**
 * Moves events from the table into compressed segments, which answer filters and counts and are the log from then on. A query builds missing segments in
 * memory, so a delay costs time but not correctness. With several servers, the first to insert a segment wins. Also converts the legacy segments.
 * Settings: services.enabled. Reports: segments.
 */
export const eventSegments: Service = {
  name: 'event-segments',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  runOnce: async (context, signal) => ({ segments: await flushSegments(context, signal) }),
}

/** Returns how many segments were stored. */
export async function flushSegments(context: ActingContext, signal: AbortSignal, size = segmentEventsMax): Promise<number> {
  let segments = 0
  const next = async () => (await flushNextSegment(context, signal, size)) || (await convertNextLegacySegment(context, signal))
  for (let head = await readHead(context.reads); !signal.aborted && (await next()); ) {
    segments += 1
    const before = head
    head = await readHead(context.reads)
    if (segments >= segmentsMax && head - before >= idleEventsMax) break
  }
  if (segments > 0) await maintainLog(context)
  return segments
}
