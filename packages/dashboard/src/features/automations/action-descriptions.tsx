import type { ActionDraft } from './action-kinds.ts'
import { describeAction } from './describe-action.ts'
import { TextParts } from './description-view.tsx'

/** Actions in plain words, one per line. */
export function ActionDescriptions({ actions }: { readonly actions: readonly ActionDraft[] }) {
  if (actions.length === 0) return <p className="text-soft">No actions.</p>
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-5 marker:text-faint">
      {actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is always rendered as a whole
        <li key={index}>
          <TextParts parts={describeAction(action)} />.
        </li>
      ))}
    </ol>
  )
}
