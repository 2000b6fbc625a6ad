import type { TriggerDraft } from './trigger-draft.ts'

export interface TriggerEditorProps {
  readonly trigger: TriggerDraft
  /** Its place in the automation, by which faults name it: `trigger.triggers.0`. */
  readonly path: string
  readonly errors: Readonly<Record<string, string>>
  onChange(trigger: TriggerDraft): void
  /** Of one among several. */
  onRemove?(): void
}
