import type { Manifest } from '../../kernel/index.ts';
import type { Form, Page } from './read.ts';
import { apiVersionOf, type ResourceInfo } from './resources.ts';
import { tableOf } from './table.ts';

const PARTIAL = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":';

/** Turns stored objects into JSON. Stored objects never change, so the text of each is made once. */
export class Printer {
  readonly #bodies = new WeakMap<Manifest, string>();
  readonly #metadata = new WeakMap<object, string>();

  /** One object in the form the client wants. */
  object(info: ResourceInfo, object: Manifest, form: Form): string {
    if (form === 'metadata') return `${PARTIAL}${this.#meta(object)}}`;
    if (form === 'table')
      return JSON.stringify(tableOf(info, { objects: [object], version: object.metadata.resourceVersion ?? '' }));
    return `{"kind":"${info.kind}","apiVersion":"${apiVersionOf(info)}",${this.#body(object)}`;
  }

  /** One page of a list. As with the API server, items of built-in kinds carry neither kind nor apiVersion. */
  list(info: ResourceInfo, page: Page, form: Form): string {
    if (form === 'table') return JSON.stringify(tableOf(info, page));
    const metadata = JSON.stringify({
      resourceVersion: page.version,
      ...(page.next === undefined ? {} : { continue: page.next, remainingItemCount: page.remaining }),
    });
    if (form === 'metadata') {
      const items = page.objects.map((object) => this.object(info, object, form)).join(',');
      return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"items":[${items}]}`;
    }
    const head = info.custom === undefined ? '{' : `{"kind":"${info.kind}","apiVersion":"${apiVersionOf(info)}",`;
    const items = page.objects.map((object) => head + this.#body(object)).join(',');
    return `{"kind":"${info.kind}List","apiVersion":"${apiVersionOf(info)}","metadata":${metadata},"items":[${items}]}`;
  }

  /** The object's JSON after kind and apiVersion, up to the closing brace. */
  #body(object: Manifest): string {
    let body = this.#bodies.get(object);
    if (body === undefined) {
      const { apiVersion: _a, kind: _k, ...rest } = object;
      body = JSON.stringify(rest).slice(1);
      this.#bodies.set(object, body);
    }
    return body;
  }

  #meta(object: Manifest): string {
    let metadata = this.#metadata.get(object.metadata);
    if (metadata === undefined) {
      metadata = JSON.stringify(object.metadata);
      this.#metadata.set(object.metadata, metadata);
    }
    return metadata;
  }
}
