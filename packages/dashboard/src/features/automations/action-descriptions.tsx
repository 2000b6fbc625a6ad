import type { ActionDraft } from './action-kinds.ts'
import { describeAction } from './describe-action.ts'
import { TextParts } from './description-view.tsx'

/** What is done, one line each. */
export function ActionDescriptions({ actions }: { readonly actions: readonly ActionDraft[] }) {
  if (actions.length === 0) return <p className="text-soft">No actions.</p>
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-5 marker:text-faint">
      {actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list of actions is drawn as a whole
        <li key={index}>
          <TextParts pieces={describeAction(action)} />.
        </li>
      ))}
    </ol>
  )
}
