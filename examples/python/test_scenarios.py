"""Runs each scenario in its own world. Every scenario in scenarios.py becomes a test here."""

import unittest

from florin import connect
from scenarios import SCENARIOS


class Scenarios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.florin = connect()


def test_of(scenario):
    def test(self):
        with self.florin.world(seed=scenario.__name__) as world:
            scenario(world)
            self.assertEqual(world.get("/v2/sandbox/invariants").json["verdict"], "holds")

    return test


for scenario in SCENARIOS:
    setattr(Scenarios, "test_" + scenario.__name__, test_of(scenario))

if __name__ == "__main__":
    unittest.main()
