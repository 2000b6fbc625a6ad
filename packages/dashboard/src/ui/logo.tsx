/** Millrace logo. */
export function Logo({ size = 24 }: { readonly size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="2" className="shrink-0">
      <path d="M8.1 20.1a10 10 0 1 1 15.8 0" strokeLinecap="round" />
      <path d="M16 4v5.5M6 14h5.5M20.5 14H26M8.93 6.93l3.89 3.89M23.07 6.93l-3.89 3.89M12.82 17.18l-2.3 2.3M19.18 17.18l2.3 2.3" />
      <circle cx="16" cy="14" r="3" fill="currentColor" stroke="none" />
      <g stroke="var(--accent)" strokeLinecap="round">
        <path d="M1.5 25c3.6 0 3.6-2.8 7.25-2.8S12.4 25 16 25s3.6-2.8 7.25-2.8S26.9 25 30.5 25" strokeWidth="2.4" />
        <path d="M6 29.5c2.5 0 2.5-1.8 5-1.8s2.5 1.8 5 1.8 2.5-1.8 5-1.8 2.5 1.8 5 1.8" strokeWidth="1.8" opacity="0.55" />
      </g>
    </svg>
  )
}
