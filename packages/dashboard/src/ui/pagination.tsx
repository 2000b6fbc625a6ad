import { IconButton } from './button.tsx'

interface PaginationProps {
  /** From 1. */
  readonly page: number
  readonly pages: number
  readonly count: number
  /** Of what there are so many. */
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
