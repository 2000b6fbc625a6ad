import type { ServerEvent } from '../../lib/server-events.ts'
import { formatTime, type Micros } from '../../lib/time.ts'
import type { RetentionKind } from './retention-store.ts'

interface TrimResult {
  readonly kind: RetentionKind
  readonly trimmed: number
  readonly days: number
  readonly before: Micros
}

/** Emitted by a scheduled backup. */
export function backupEvent(outcome: 'finished' | 'failed', payload: object, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: `millrace.backup.${outcome}`,
    resource: { 'prefect.resource.id': 'millrace.backup', 'prefect.resource.name': 'backup' },
    related: [],
    payload: JSON.stringify(payload),
    follows: null,
  }
}

/** Emitted by a pass that removed rows. */
export function retentionTrimmedEvent({ kind, trimmed, days, before }: TrimResult, id: string, now: Micros): ServerEvent {
  return {
    id,
    occurred: now,
    event: 'millrace.retention.trimmed',
    resource: { 'prefect.resource.id': `millrace.retention.${kind}`, 'prefect.resource.name': kind },
    related: [],
    payload: JSON.stringify({ kind, trimmed, retention_days: days, before: formatTime(before) }),
    follows: null,
  }
}
