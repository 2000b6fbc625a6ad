import type { Style } from './style.ts'
import type { Column } from './table.ts'

const statusStyles: Readonly<Record<string, Style>> = {
  READY: 'green',
  ONLINE: 'green',
  ENABLED: 'green',
  NOT_READY: 'yellow',
  SUSPENDED: 'yellow',
  OFFLINE: 'red',
  PAUSED: 'cyan',
  DISABLED: 'cyan',
}

/** Status of a pool, queue, worker, limit or automation. */
export const statusColumn = <T>(status: (item: T) => string | null): Column<T> => ({
  title: 'STATUS',
  value: status,
  style: (item) => statusStyles[status(item) ?? ''],
})

interface Slots {
  readonly used: number
  readonly limit: number | null
}

/** Slots in use and the limit. */
export const slotColumns = <T>(slots: (item: T) => Slots): readonly Column<T>[] => [
  {
    title: 'IN USE',
    value: (item) => slots(item).used,
    isNumber: true,
    style(item) {
      const { used, limit } = slots(item)
      return limit !== null && used >= limit ? 'yellow' : undefined
    },
  },
  { title: 'LIMIT', value: (item) => slots(item).limit ?? 'none', isNumber: true },
]
