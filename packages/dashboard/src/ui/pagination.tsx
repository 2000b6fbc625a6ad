import { IconButton } from './button.tsx'

interface PaginationProps {
  /** Starts at 1. */
  readonly page: number
  readonly pages: number
  readonly count: number
  /** Plural noun of the counted items. */
  readonly noun: string
  onPage(page: number): void
}

export function Pagination({ page, pages, count, noun, onPage }: PaginationProps) {
  return (
    <nav aria-label="Pages" className="flex items-center gap-1 text-soft">
      <span className="mr-2">
        {count.toLocaleString()} {noun}
      </span>
      {pages > 1 && (
        <>
          <IconButton icon="left" label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)} />
          <span>
            {page} of {pages.toLocaleString()}
          </span>
          <IconButton icon="right" label="Next page" disabled={page >= pages} onClick={() => onPage(page + 1)} />
        </>
      )}
    </nav>
  )
}
