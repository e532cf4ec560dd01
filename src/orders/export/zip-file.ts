/** Writes a ZIP archive as it goes, so that its size is no matter of memory; an entry is below 4 GiB, packed and unpacked. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

export type ZipFile = {
  /** Adds an entry of what `content` writes, in UTF-8. One at a time. */
  add(name: string, content: (write: (text: string) => Promise<void>) => Promise<void>): Promise<void>
  /** Writes the directory. */
  finish(): Promise<void>
  /** Closes the file, finished or not. */
  close(): Promise<void>
}

type Entry = { readonly name: Buffer; readonly offset: number; readonly sums: Buffer }

const VERSION = 20
/** The sums follow the content; the name is UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** 1 January 1980: when it was packed is nobody's matter. */
const DOS_DATE = 0x21

/** A new file, readable by its owner alone. */
export async function createZipFile(path: string): Promise<ZipFile> {
  const file = await open(path, 'wx', 0o600)
  const entries: Entry[] = []
  let offset = 0
  const put = async (chunk: Buffer) => {
    await file.writeFile(chunk)
    offset += chunk.length
  }

  return {
    add: async (name, content) => {
      const entry = { name: Buffer.from(name), offset }
      await put(Buffer.concat([headOf('PK\x03\x04', Buffer.alloc(12), entry.name.length), entry.name]))
      const start = offset
      const deflate = createDeflateRaw()
      const packing = (async () => {
        for await (const chunk of deflate) await put(chunk as Buffer)
      })()
      let [crc, size] = [0, 0]
      const writing = content(async (text) => {
        const bytes = Buffer.from(text)
        crc = crc32(bytes, crc)
        size += bytes.length
        if (!deflate.write(bytes)) await once(deflate, 'drain')
      }).then(() => void deflate.end())
      await Promise.all([writing, packing]).finally(() => deflate.destroy())
      const sums = numbers([crc, 4], [offset - start, 4], [size, 4])
      await put(Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), sums]))
      entries.push({ ...entry, sums })
    },
    finish: async () => {
      const start = offset
      for (const { name, offset: at, sums } of entries) {
        const head = headOf('PK\x01\x02', sums, name.length)
        await put(Buffer.concat([head, numbers([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), name]))
      }
      const counts = numbers([0, 2], [0, 2], [entries.length, 2], [entries.length, 2])
      const end = numbers([offset - start, 4], [start, 4], [0, 2])
      await put(Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), counts, end]))
    },
    close: () => file.close(),
  }
}

/** What the header before an entry and the one in the directory have in common. */
function headOf(signature: 'PK\x03\x04' | 'PK\x01\x02', sums: Buffer, name_length: number): Buffer {
  const made_by = signature === 'PK\x01\x02' ? numbers([VERSION, 2]) : Buffer.alloc(0)
  const fields = numbers([VERSION, 2], [FLAGS, 2], [DEFLATED, 2], [0, 2], [DOS_DATE, 2])
  return Buffer.concat([
    Buffer.from(signature, 'latin1'),
    made_by,
    fields,
    sums,
    numbers([name_length, 2], [0, 2]),
  ])
}

/** Unsigned, little-endian, each of so many bytes. */
function numbers(...fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      assert(value < 2 ** (8 * bytes), 'the archive is too large')
      const field = Buffer.alloc(bytes)
      field.writeUIntLE(value, 0, bytes)
      return field
    }),
  )
}
