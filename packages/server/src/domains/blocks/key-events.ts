import type { EventRecord } from '../../lib/event-record.ts'
import type { Micros } from '../../lib/time.ts'

/** Told when every secret is under a new key. A key's id is a fingerprint: it lies beside what the key encrypts. */
export function keyRotatedEvent(keyId: string, rotated: number, id: string, now: Micros): EventRecord {
  return {
    id,
    occurred: now,
    event: 'millrace.encryption-key.rotated',
    resource: { 'prefect.resource.id': `millrace.encryption-key.${keyId}` },
    related: [],
    payload: JSON.stringify({ rotated }),
    follows: null,
  }
}
