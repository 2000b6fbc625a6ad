import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'

interface VirtualRowsProps {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  row(index: number): ReactNode
  /** Called with the range of rows to load: the visible ones and a margin. */
  onRange?(first: number, last: number): void
  /** Sticky header row. */
  readonly head?: ReactNode
  readonly className?: string
}

/** Virtualized table: only visible rows are in the DOM. Each `row` consists of `Cell`s. */
export function VirtualRows({ label, count, rowHeight, row, onRange, head, className = '' }: VirtualRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 12 })
  const shown = rows.getVirtualItems()
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => onRange?.(first, last), [onRange, first, last])
  useEffect(() => {
    if (rowHeight > 0) rows.measure()
  }, [rows, rowHeight])
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a real table cannot be placed one by one
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={count}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable
      tabIndex={0}
      className={`card min-h-0 flex-1 overflow-y-auto ${className}`}
    >
      {head && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div role="rowgroup" className="sticky top-0 z-10 rounded-t-lg border-b border-line bg-surface">
          {head}
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((item) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the links within are what takes the focus
          <div
            key={item.key}
            role="row"
            aria-rowindex={item.index + 1}
            className="absolute inset-x-0 top-0 border-b border-line"
            style={{ height: item.size, transform: `translateY(${item.start}px)` }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  )
}

interface CellProps {
  readonly className?: string
  readonly children?: ReactNode
}

export const Cell = ({ className, children }: CellProps) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  <span role="cell" className={className}>
    {children}
  </span>
)

export const HeadCell = ({ className, children }: CellProps) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  // biome-ignore lint/a11y/useFocusableInteractive: it only names its column
  <span role="columnheader" className={className}>
    {children}
  </span>
)

/** Header row, for `head` of `VirtualRows`. */
export const HeadRow = ({ className, children }: CellProps) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  // biome-ignore lint/a11y/useFocusableInteractive: as above
  <div role="row" className={`h-9 font-medium text-faint text-sm ${className ?? ''}`}>
    {children}
  </div>
)
