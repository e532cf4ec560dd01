/** What a request for listings can be refused for: the event, or the image of a map, is not there for the caller. */
export type EventErrorCode = 'event_not_listed' | 'map_image_not_found'
