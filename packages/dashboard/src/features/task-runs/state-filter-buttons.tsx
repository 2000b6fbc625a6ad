import type { StateType } from '@millrace/contracts/state.ts'
import type { CountByState } from '@millrace/contracts/ui.ts'
import { classNames } from '../../ui/classes.ts'
import { displayStateLabel, toDisplayState } from '../../ui/display-state.ts'
import { StateIcon } from '../../ui/state-badge.tsx'

interface StateFilterButtonsProps {
  readonly counts: Partial<CountByState>
  readonly chosen: string | undefined
  onChoose(state: string | undefined): void
}

/** Count per state, as buttons that filter by the state. */
export function StateFilterButtons({ counts, chosen, onChoose }: StateFilterButtonsProps) {
  const present = Object.entries(counts).filter(([, count]) => count > 0) as [StateType, number][]
  return (
    <span className="flex flex-wrap gap-1">
      {present.map(([type, count]) => (
        <button
          key={type}
          type="button"
          aria-pressed={chosen === type}
          onClick={() => onChoose(chosen === type ? undefined : type)}
          className={classNames(
            'flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-sm',
            chosen === type ? 'border-accent bg-wash' : 'border-line hover:bg-hover',
          )}
        >
          <StateIcon displayState={toDisplayState(type)} size={12} />
          {displayStateLabel(toDisplayState(type))}
          <span className="text-faint">{count.toLocaleString()}</span>
        </button>
      ))}
    </span>
  )
}
