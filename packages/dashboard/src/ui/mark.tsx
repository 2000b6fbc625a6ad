/** The mill wheel over its race. It turns only where it says that something runs. */
export function Mark({ size = 24, turning = false }: { readonly size?: number; readonly turning?: boolean }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      className="shrink-0"
    >
      <g strokeWidth="2" className={turning ? 'origin-[16px_13px] animate-turn' : undefined}>
        <circle cx="16" cy="13" r="6.4" />
        <path d="M16 3.5v19M6.5 13h19M9.3 6.3l13.4 13.4M22.7 6.3 9.3 19.7" strokeWidth="1.7" />
      </g>
      <circle cx="16" cy="13" r="2.2" fill="currentColor" stroke="none" />
      <path d="M2.5 27c3.4 0 3.4-2.4 6.8-2.4S12.6 27 16 27s3.4-2.4 6.7-2.4S26.1 27 29.5 27" strokeWidth="2.2" stroke="var(--accent)" />
    </svg>
  )
}
