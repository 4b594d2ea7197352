import { Me } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

/** Who asks. */
export const ME_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/me',
    id: 'getMe',
    tag: 'me',
    summary: 'Who I am and what I may do',
    needs: { all: [] },
    answer: Me,
    example: {},
    operation: (operations) => operations.me.show,
  }),
];
