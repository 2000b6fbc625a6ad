import type { EventTriggerDraft, TriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'

export const emptyEventTrigger = (): EventTriggerDraft => ({
  type: 'event',
  match: {},
  match_related: {},
  after: [],
  expect: [],
  for_each: [],
  posture: 'Reactive',
  threshold: 1,
  within: 0,
})

export interface TriggerEditorProps {
  readonly trigger: TriggerDraft
  /** Path in the automation, as in server errors: `trigger.triggers.0`. */
  readonly path: string
  readonly errors: Readonly<Record<string, string>>
  onChange(trigger: TriggerDraft): void
  /** Set for a nested trigger. */
  onRemove?(): void
}
