import { Link } from '@tanstack/react-router'
import { StateShape } from '../../ui/state-badge.tsx'
import { lookWord, type StateLook, stackOrder } from '../../ui/state-look.ts'

/** Always told, even at none: no failures is news too. */
const always: readonly StateLook[] = ['failed', 'late', 'running', 'completed']

interface TalliesProps {
  readonly counts: ReadonlyMap<StateLook, number> | undefined
  readonly since: string
}

/** How many of each, which is the legend of the chart as well, and the way to them. */
export function Tallies({ counts, since }: TalliesProps) {
  const shown = stackOrder.filter((look) => always.includes(look) || (counts?.get(look) ?? 0) > 0)
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-2">
      {shown.map((look) => (
        <li key={look}>
          <Link
            to="/runs"
            search={look === 'scheduled' ? { state: ['Scheduled'], sort: 'soonest' } : { state: [lookWord(look)], since }}
            className="group block rounded-sm"
          >
            <span className={`block font-semibold text-xl leading-6 ${counts?.get(look) ? '' : 'text-faint'}`}>
              {counts ? (counts.get(look) ?? 0).toLocaleString() : '–'}
            </span>
            <span className="flex items-center gap-1.5 text-soft text-sm group-hover:text-accent group-hover:underline">
              <StateShape look={look} size={12} />
              {lookWord(look)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
