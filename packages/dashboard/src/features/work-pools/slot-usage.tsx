const dotsMax = 12

/** Used and total slots: dots for few slots, a bar for many. */
export function SlotUsage({ used, limit }: { readonly used: number; readonly limit: number | null }) {
  if (limit === null) return <span className="whitespace-nowrap text-faint text-sm">{used > 0 ? `${used} in use` : 'no limit'}</span>
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-sm" title={`${used} of ${limit} slots in use`}>
      {limit <= dotsMax ? (
        <span aria-hidden="true" className="inline-flex gap-0.5">
          {Array.from({ length: limit }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: dots are alike
            <span key={index} className={`size-2 rounded-[2px] ${index < used ? 'bg-accent' : 'bg-rim'}`} />
          ))}
        </span>
      ) : (
        <span aria-hidden="true" className="h-1.5 w-24 overflow-hidden rounded-full bg-rim">
          <span className="block h-full bg-accent" style={{ width: `${Math.min(100, (100 * used) / limit)}%` }} />
        </span>
      )}
      <span className="text-soft">
        {used} / {limit}
      </span>
    </span>
  )
}
