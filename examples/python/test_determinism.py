"""Worlds side by side: all stories in each, twice, and the second time byte for byte as the first."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from florin import Florin, connect
from stories import STORIES

WORLDS = 8
SEEDS = [f"determinism-{number}" for number in range(WORLDS)]


def play(florin, seed):
    """All stories in one world, which is deleted at the end; what was answered, and the account's id."""
    with florin.world(seed=seed) as world:
        for story in STORIES:
            story(world)
        # The whole of what is there at the end is compared, too.
        world.get("/v2/sandbox/invariants")
        world.get("/v2/activity/" + world.account_id, limit=1000)
        world.get("/v2/cards", limit=1000)
        for budget in world.get("/v2/budgets", include="balances", limit=1000).json["rows"]:
            currency = budget["currencies"][0]
            world.get(f"/v2/budgets/{budget['id']}/explanation", currencyCode=currency, limit=1000)
        return world.answers


class Determinism(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.florin = connect()
        with ThreadPoolExecutor(WORLDS) as threads:
            cls.first = list(threads.map(lambda seed: play(cls.florin, seed), SEEDS))

    def assert_same(self, first, second):
        self.assertEqual(len(first), len(second))
        for number, (one, other) in enumerate(zip(first, second)):
            self.assertEqual(one, other, f"answer {number} is another one")

    def test_the_same_again_side_by_side(self):
        with ThreadPoolExecutor(WORLDS) as threads:
            second = list(threads.map(lambda seed: play(self.florin, seed), SEEDS))
        for seed, one, other in zip(SEEDS, self.first, second):
            with self.subTest(seed):
                self.assert_same(one, other)

    def test_the_same_alone(self):
        """Had a world been disturbed by those beside it, it would answer otherwise on its own."""
        self.assert_same(self.first[0], play(self.florin, SEEDS[0]))

    def test_the_same_again_from_a_snapshot(self):
        with self.florin.world(seed="snapshot") as world:
            STORIES[0](world)
            snapshot = world.snapshot("after the first story")
            played = []
            for _ in range(2):
                world.answers.clear()
                for story in STORIES[1:6]:
                    story(world)
                played.append(list(world.answers))
                world.restore(snapshot)
        self.assert_same(*played)

    def test_every_world_is_sound_at_the_end(self):
        for seed, answers in zip(SEEDS, self.first):
            with self.subTest(seed):
                bodies = [body for _, path, _, body in answers if path == "/v2/sandbox/invariants"]
                self.assertEqual(len(bodies), 1)
                self.assertIn(b'"verdict":"holds"', bodies[0])

    def test_worlds_differ_in_ids_only(self):
        """Other seeds, other ids and tokens, but the same calls with the same outcome."""
        outcomes = {tuple((method, status) for method, _, status, _ in answers) for answers in self.first}
        self.assertEqual(len(outcomes), 1)
        bodies = {b"".join(body for _, _, _, body in answers) for answers in self.first}
        self.assertEqual(len(bodies), WORLDS)

    def test_worlds_do_not_see_each_other(self):
        with self.florin.world(seed="left") as left, self.florin.world(seed="right") as right:
            before = right.get("/v2/budgets", include="balances").body
            STORIES[0](left)
            self.assertEqual(right.get("/v2/budgets", include="balances").body, before)
            trespasser = Florin(left.florin.url, left.florin.api_key)
            answer = trespasser.send("GET", "/v2/budgets", query={"accountId": right.account_id})
            self.assertEqual((answer.status, answer.error_code), (404, "not_found"))


if __name__ == "__main__":
    unittest.main()
