import { useQuery } from '@tanstack/react-query'
import { automationStatusQuery } from '../../api/automations.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TimeText } from '../../ui/time-text.tsx'

/** Time of the last firing, or the reason for none. */
export function LastFired({ id }: { readonly id: string }) {
  const { data } = useQuery(automationStatusQuery(id))
  if (!data) return <Skeleton className="h-3 w-24" />
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      {data.last_fired ? <TimeText time={data.last_fired} show="relative" /> : <span className="shrink-0 text-faint">Never</span>}
      {data.reason && (
        <span className="min-w-0 truncate text-faint text-sm" title={data.reason}>
          {data.reason}
        </span>
      )}
    </span>
  )
}
