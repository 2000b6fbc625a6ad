import type { ActionDraft } from './action-kinds.ts'
import { actionPieces } from './action-text.ts'
import { Pieces } from './sentence-view.tsx'

/** What is done, one line each. */
export function ActionSentences({ actions }: { readonly actions: readonly ActionDraft[] }) {
  if (actions.length === 0) return <p className="text-soft">Nothing is done.</p>
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-5 marker:text-faint">
      {actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list of actions is drawn as a whole
        <li key={index}>
          <Pieces pieces={actionPieces(action)} />.
        </li>
      ))}
    </ol>
  )
}
