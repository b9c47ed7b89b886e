"""Runs all scenarios twice in each of several concurrent worlds, and compares the answers byte for byte."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from florin import Florin, connect
from scenarios import SCENARIOS

WORLDS = 8
SEEDS = [f"determinism-{number}" for number in range(WORLDS)]


def run(florin, seed):
    """Runs all scenarios in one world and returns all answers. The world is deleted at the end."""
    with florin.world(seed=seed) as world:
        for scenario in SCENARIOS:
            scenario(world)
        # The final state is part of the comparison.
        world.get("/v2/sandbox/invariants")
        world.get("/v2/activity/" + world.account_id, limit=1000)
        world.get("/v2/cards", limit=1000)
        for budget in world.get("/v2/budgets", include="balance", limit=1000).json["rows"]:
            currency = budget["currency"][0]["currencyCode"]
            world.get(f"/v2/budgets/{budget['id']}/explanation", currencyCode=currency, limit=1000)
        return world.answers


class Determinism(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.florin = connect()
        with ThreadPoolExecutor(WORLDS) as threads:
            cls.first = list(threads.map(lambda seed: run(cls.florin, seed), SEEDS))

    def assert_same(self, first, second):
        self.assertEqual(len(first), len(second))
        for number, (one, other) in enumerate(zip(first, second)):
            self.assertEqual(one, other, f"answer {number} differs")

    def test_concurrent_worlds_repeat_their_answers(self):
        with ThreadPoolExecutor(WORLDS) as threads:
            second = list(threads.map(lambda seed: run(self.florin, seed), SEEDS))
        for seed, one, other in zip(SEEDS, self.first, second):
            with self.subTest(seed):
                self.assert_same(one, other)

    def test_a_single_world_repeats_the_answers_of_a_concurrent_one(self):
        """If concurrent worlds affected each other, a world would answer differently when it runs alone."""
        self.assert_same(self.first[0], run(self.florin, SEEDS[0]))

    def test_a_restored_snapshot_repeats_its_answers(self):
        with self.florin.world(seed="snapshot") as world:
            SCENARIOS[0](world)
            snapshot = world.snapshot("after the first scenario")
            runs = []
            for _ in range(2):
                world.answers.clear()
                for scenario in SCENARIOS[1:6]:
                    scenario(world)
                runs.append(list(world.answers))
                world.restore(snapshot)
        self.assert_same(*runs)

    def test_every_world_keeps_its_invariants(self):
        for seed, answers in zip(SEEDS, self.first):
            with self.subTest(seed):
                bodies = [body for _, path, _, body in answers if path == "/v2/sandbox/invariants"]
                self.assertEqual(len(bodies), 1)
                self.assertIn(b'"verdict":"holds"', bodies[0])

    def test_worlds_differ_in_ids_only(self):
        """Different seeds give different ids and tokens, but the same calls have the same outcomes."""
        outcomes = {tuple((method, status) for method, _, status, _ in answers) for answers in self.first}
        self.assertEqual(len(outcomes), 1)
        bodies = {b"".join(body for _, _, _, body in answers) for answers in self.first}
        self.assertEqual(len(bodies), WORLDS)

    def test_worlds_do_not_see_each_other(self):
        with self.florin.world(seed="left") as left, self.florin.world(seed="right") as right:
            before = right.get("/v2/budgets", include="balance").body
            SCENARIOS[0](left)
            self.assertEqual(right.get("/v2/budgets", include="balance").body, before)
            intruder = Florin(left.florin.url, left.florin.api_key)
            answer = intruder.send("GET", "/v2/budgets", query={"accountId": right.account_id})
            self.assertEqual((answer.status, answer.error_code), (404, "not_found"))


if __name__ == "__main__":
    unittest.main()
