const PATHS = {
  requests: 'M3 5h18M3 12h18M3 19h12',
  operate: 'M4 19V9m5 10V5m5 14v-7m5 7V8',
  chains:
    'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700l-1.600 1.600M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700l1.600-1.600',
  keys: 'M14 10a4 4 0 1 1-2.700-3.800A4 4 0 0 1 14 10zm-1 1.500L20 18.500V21h-3v-2h-2v-2l-2.600-2.600',
  balance: 'M4 7h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zm0 0 11-3v3m1 6h.01',
  webhooks:
    'M12 8a3.500 3.500 0 1 0-3.300 3.490L6 16m0 2.500a2.500 2.500 0 1 0 0-.01M12 8l3.500 6.500m3 2a2.500 2.500 0 1 1-2.500 2.500H8.500',
  try: 'M7 4v16l13-8z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 13l5 5L20 7',
  out: 'M14 4h6v6m0-6-9 9M18 14v6H4V6h6',
  light:
    'M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5',
  dark: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z',
  system: 'M4 5h16v11H4zM9 20h6m-3-4v4',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the element around it states the meaning in words. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#2f5bea" />
      <path
        d="M5 20h22M5 20c0-6 5-10 11-10s11 4 11 10M12 20v-8.300M20 20v-8.300"
        fill="none"
        stroke="#fff"
        stroke-width="2.400"
        stroke-linecap="round"
      />
    </svg>
  );
}
