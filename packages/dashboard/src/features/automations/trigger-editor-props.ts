import type { TriggerDraft } from './trigger-draft.ts'

export interface TriggerEditorProps {
  readonly trigger: TriggerDraft
  /** Path in the automation, as in server errors: `trigger.triggers.0`. */
  readonly path: string
  readonly errors: Readonly<Record<string, string>>
  onChange(trigger: TriggerDraft): void
  /** Set for a nested trigger. */
  onRemove?(): void
}
