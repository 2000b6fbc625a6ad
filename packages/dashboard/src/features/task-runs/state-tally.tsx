import type { StateType } from '@millrace/contracts/state.ts'
import type { CountByState } from '@millrace/contracts/ui.ts'
import { classes } from '../../ui/classes.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { lookWord, stateLook } from '../../ui/state-look.ts'

interface StateTallyProps {
  readonly counts: Partial<CountByState>
  readonly chosen: string | undefined
  onChoose(state: string | undefined): void
}

/** How many there are of each state, as the buttons that narrow to it. */
export function StateTally({ counts, chosen, onChoose }: StateTallyProps) {
  const present = Object.entries(counts).filter(([, count]) => count > 0) as [StateType, number][]
  return (
    <span className="flex flex-wrap gap-1">
      {present.map(([type, count]) => (
        <button
          key={type}
          type="button"
          aria-pressed={chosen === type}
          onClick={() => onChoose(chosen === type ? undefined : type)}
          className={classes(
            'flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-sm',
            chosen === type ? 'border-accent bg-wash' : 'border-line hover:bg-hover',
          )}
        >
          <StateShape look={stateLook(type)} size={12} />
          {lookWord(stateLook(type))}
          <span className="text-faint">{count.toLocaleString()}</span>
        </button>
      ))}
    </span>
  )
}
