import type { WorkQueueCreate, WorkQueueResponse } from '@millrace/contracts/work-queue.ts'

export interface QueueDraft {
  readonly name: string
  readonly description: string
  /** Empty for no limit. */
  readonly limit: string
  /** Empty for the next free priority. */
  readonly priority: string
}

export const toQueueDraft = (queue: WorkQueueResponse | undefined): QueueDraft => ({
  name: queue?.name ?? '',
  description: queue?.description ?? '',
  limit: queue?.concurrency_limit == null ? '' : String(queue.concurrency_limit),
  priority: queue ? String(queue.priority) : '',
})

export type QueueErrors = Partial<Record<keyof QueueDraft, string>>

const isWholeNumber = (text: string, least: number): boolean => text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) >= least)

export const validateQueueDraft = ({ name, limit, priority }: QueueDraft): QueueErrors => ({
  ...(name.trim() === '' && { name: 'Enter a name' }),
  ...(/[/%&><]/.test(name) && { name: 'Must not contain / % & > <' }),
  ...(!isWholeNumber(limit, 0) && { limit: 'Enter a whole number, 0 or greater, or leave empty' }),
  ...(!isWholeNumber(priority, 1) && { priority: 'Enter a whole number, 1 or greater' }),
})

export const toQueueBody = ({ name, description, limit, priority }: QueueDraft): WorkQueueCreate => ({
  name: name.trim(),
  description,
  concurrency_limit: limit.trim() === '' ? null : Number(limit),
  ...(priority.trim() !== '' && { priority: Number(priority) }),
})
