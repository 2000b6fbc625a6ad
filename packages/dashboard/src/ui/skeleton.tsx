/** Placeholder in the size of the coming content, so that the layout does not shift. */
export function Skeleton({ className = 'h-4 w-full' }: { readonly className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded-sm bg-hover ${className}`} />
}

const widths = ['w-3/4', 'w-1/2', 'w-5/6', 'w-2/3', 'w-3/5']

export function SkeletonRows({ rows = 8, label = 'Loading' }: { readonly rows?: number; readonly label?: string }) {
  return (
    <div role="status" className="flex flex-col">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical and never move
        <div key={index} className="flex h-9 items-center gap-4 border-b border-line px-3 last:border-b-0">
          <Skeleton className="size-3.5 shrink-0 rounded-full" />
          <Skeleton className={`h-3 max-w-64 ${widths[index % widths.length]}`} />
          <Skeleton className="ml-auto h-3 w-20" />
        </div>
      ))}
    </div>
  )
}
