/** Two letters instead of the logo, which the CSP does not allow to load from another origin. */
export function BlockTypeIcon({ name, size = 'small' }: { readonly name: string; readonly size?: 'small' | 'large' }) {
  const words = name.split(/[\s-]+/).filter(Boolean)
  const letters = ((words[0]?.[0] ?? '') + (words[1]?.[0] ?? words[0]?.[1] ?? '')).toUpperCase()
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-md bg-wash font-semibold text-accent ${size === 'large' ? 'size-10 text-lg' : 'size-6 text-xs'}`}
    >
      {letters}
    </span>
  )
}
