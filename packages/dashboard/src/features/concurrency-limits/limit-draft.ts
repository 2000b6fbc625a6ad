import type { ConcurrencyLimitV2Create, GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'

export interface LimitDraft {
  readonly name: string
  readonly limit: string
  /** Slots per second. Empty for no decay. */
  readonly decay: string
  readonly active: boolean
}

export const toLimitDraft = (limit: GlobalConcurrencyLimitResponse | undefined): LimitDraft => ({
  name: limit?.name ?? '',
  limit: limit ? String(limit.limit) : '',
  decay: limit && limit.slot_decay_per_second > 0 ? String(limit.slot_decay_per_second) : '',
  active: limit?.active ?? true,
})

export type LimitErrors = Partial<Record<keyof LimitDraft, string>>

export const validateLimitDraft = ({ name, limit, decay }: LimitDraft): LimitErrors => ({
  ...(/[/%&><]/.test(name) && { name: 'Must not contain / % & > <' }),
  ...(name.trim() === '' && { name: 'Enter a name' }),
  ...(!/^\d+$/.test(limit.trim()) && { limit: 'Enter a whole number, 0 or greater' }),
  ...(decay.trim() !== '' && !(Number(decay) >= 0) && { decay: 'Enter a number, 0 or greater' }),
})

export const toLimitBody = ({
  name,
  limit,
  decay,
  active,
}: LimitDraft): Required<Omit<ConcurrencyLimitV2Create, 'active_slots' | 'denied_slots'>> => ({
  name: name.trim(),
  limit: Number(limit),
  slot_decay_per_second: decay.trim() === '' ? 0 : Number(decay),
  active,
})
