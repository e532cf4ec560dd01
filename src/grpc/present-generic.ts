/** The messages of generic.proto, and what several messages write alike. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { OpenLifetime } from '../events/event-entry.ts'
import type { Percentage } from '../kernel/money.ts'
import type { LifetimeSchema, MediaSchema, PercentageSchema } from './generated/generic_pb.js'

/** Of the unit of percentages inside, 0.0001 %. */
const PARTS_PER_UNIT = 10_000
const NANOS_PER_PART = 100_000

/** 125_000, which is 12.5 %, as 12 units and 500,000,000 nanos. */
export function presentPercentage(share: Percentage): MessageInitShape<typeof PercentageSchema> {
  return {
    units: Math.floor(share / PARTS_PER_UNIT),
    nanos: (share % PARTS_PER_UNIT) * NANOS_PER_PART,
  }
}

/** A side that is open is absent. */
export function presentLifetime({ start, finish }: OpenLifetime): MessageInitShape<typeof LifetimeSchema> {
  return { start: presentTime(start), finish: presentTime(finish) }
}

/** Epoch milliseconds as a Timestamp; null: absent. */
export function presentTime(at: number | null): ReturnType<typeof timestampFromMs> | undefined {
  return at === null ? undefined : timestampFromMs(at)
}

/** The addresses of the covers among the images of a record, or undefined when it has none. */
export function presentMedia(
  media: Readonly<Record<string, unknown>>,
): MessageInitShape<typeof MediaSchema> | undefined {
  const covers = {
    cover: addressOf(media['cover']),
    coverSmall: addressOf(media['cover_small']),
    coverOriginal: addressOf(media['cover_original']),
  }
  return Object.values(covers).some((address) => address !== '') ? covers : undefined
}

/** 16 as `16+`, which is how an age rating is shown to buyers. */
export function presentAgeRating(age_rating: number): string {
  return `${age_rating}+`
}

/** An image is a media object of v1, or its address alone; '' for anything else. */
function addressOf(image: unknown): string {
  if (typeof image === 'string') return image
  if (typeof image !== 'object' || image === null || !('url' in image)) return ''
  return typeof image.url === 'string' ? image.url : ''
}
