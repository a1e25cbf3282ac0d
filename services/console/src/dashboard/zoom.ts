import { useAddressState } from '../parts/address.ts'

/** A part of the time, in seconds since 1970. */
export type Zoom = { min: number; max: number }

const written = /^(\d{1,12})-(\d{1,12})$/

/** Reads a part of the time as the address says it. @returns undefined when it is none */
export function zoomIn(text: string | undefined): Zoom | undefined {
  const [, min = '', max = ''] = written.exec(text ?? '') ?? []
  return min !== '' && Number(min) < Number(max) ? { min: Number(min), max: Number(max) } : undefined
}

/** The things of a part of the time; all of them without one. @param time in milliseconds since 1970 */
export function within<Thing extends { time: number }>(
  things: readonly Thing[],
  zoom: Zoom | undefined,
): readonly Thing[] {
  return zoom ? things.filter(({ time }) => time >= zoom.min * 1_000 && time <= zoom.max * 1_000) : things
}

/**
 * The part of the time that the address says, and a function that changes it.
 * @param periods those of the whole time range; a part with none of them does not count, as that of an old link
 */
export function useZoom(periods: readonly { time: number }[]) {
  const { searchParams, setSearchParams } = useAddressState()
  const asked = zoomIn(searchParams.zoom)
  const zoom = within(periods, asked).length > 0 ? asked : undefined
  const choose = (wanted: Zoom | undefined) =>
    setSearchParams({ zoom: wanted && `${Math.floor(wanted.min)}-${Math.ceil(wanted.max)}` })
  return { zoom, choose }
}
